// SPDX-License-Identifier: Apache-2.0
// Factory of the communicator for a run with a single rank.
#pragma once

#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Makes the communicator of rank 0 of 1.
std::unique_ptr<Communicator> make_single();

}  // namespace dlscale::trainer
