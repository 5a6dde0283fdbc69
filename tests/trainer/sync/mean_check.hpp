// SPDX-License-Identifier: Apache-2.0
// A check of the mean gradient of ranks that all have the same gradient.
#pragma once

#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Returns the mean gradient of one parameter in double precision, as `framework`
/// computes it.
double mean_gradient(const std::string& framework, double gradient,
                     trainer::Communicator& communicator);

}  // namespace dlscale::test
