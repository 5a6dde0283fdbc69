// SPDX-License-Identifier: Apache-2.0
// A check of ddp with gradients that become ready in different orders on even and odd ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Runs three steps with parameters of 3, 5 and 7 numbers in double precision. Each
/// parameter has its own bucket once buckets are rebuilt. The first gradient to become ready is the
/// gradient of the last parameter on even ranks, and the gradient of the first parameter on odd
/// ranks. Returns the bytes of the all-reduces in each step. Throws std::runtime_error if a
/// gradient is not the mean over the ranks.
std::vector<std::vector<std::int64_t>> all_reduces_of_crossed_ranks(
    trainer::Communicator& communicator);

}  // namespace dlscale::test
