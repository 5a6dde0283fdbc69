// SPDX-License-Identifier: Apache-2.0
// Defines the parts of the time of an optimizer step, and the statistics of a quantity over ranks.
#pragma once

#include <array>

namespace dlscale::contract {

/// Parts of a step's wall time, in the order of the records. The parts add up to the wall time.
enum class StepPart { load_wait, h2d, forward, backward, exposed_comm, optimizer, bubble, other };
inline constexpr int kStepParts = 8;
inline constexpr std::array<const char*, kStepParts> kStepPartNames{
    "load_wait", "h2d", "forward", "backward", "exposed_comm", "optimizer", "bubble", "other"};

/// Statistics of a quantity over the ranks of a run.
struct Spread {
  double mean = 0, p50 = 0, p90 = 0, max = 0;
  bool operator==(const Spread&) const = default;
};

}  // namespace dlscale::contract
