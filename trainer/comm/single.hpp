// SPDX-License-Identifier: Apache-2.0
// The communicator of a rank that is alone.
#pragma once

#include <memory>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Rank 0 of 1.
std::unique_ptr<Communicator> make_single();

}  // namespace dlscale::trainer
