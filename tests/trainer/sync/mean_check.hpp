// SPDX-License-Identifier: Apache-2.0
// What ranks that all have the same gradient agree on.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Of one parameter in double precision, by `framework`'s way.
double mean_gradient(const std::string& framework, double gradient,
                     trainer::Communicator& communicator);

}  // namespace dlscale::test
