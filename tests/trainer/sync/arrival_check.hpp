// SPDX-License-Identifier: Apache-2.0
// Gradients under ddp that come in another order on every other rank.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Three steps with parameters of 3, 5 and 7 numbers in double precision, each a
/// bucket of its own once buckets are rebuilt; on even ranks the last one's gradient is the first
/// to come, on odd ones the first one's. Returns the bytes of each step's all-reduces. Throws
/// std::runtime_error where a gradient is not the mean over the ranks.
std::vector<std::vector<std::int64_t>> all_reduces_of_crossed_ranks(
    trainer::Communicator& communicator);

}  // namespace dlscale::test
