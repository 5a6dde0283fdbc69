// SPDX-License-Identifier: Apache-2.0
// Where the wall time of steps goes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/result_record.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/timeline.hpp"

namespace dlscale::trainer {

using StepParts =
    std::array<double, contract::kStepParts>;  ///< seconds, in contract::StepPart order

/// A block of time and its parts; `other` is what no part claims, so that the parts sum to wall_s.
struct BlockTimes {
  double wall_s = 0;
  StepParts parts{};
};

/// Splits time into parts, of which one is under way at a time. Time is the device's: a part lasts
/// from where the device has done what it was given before to where it has done what it was given
/// in it. Only start() and cut() wait for the device.
class StepTimer {
 public:
  StepTimer(const base::Clock& clock, Device& device);
  /// Begins a block; time before is forgotten.
  void start();
  /// Ends the part under way, if any, and begins `part`.
  void enter(contract::StepPart part);
  /// Ends the part under way.
  void leave();
  /// Counts `seconds` that `from` claimed in this block as `to`; never more than it claimed.
  void move(contract::StepPart from, contract::StepPart to, double seconds);
  /// Ends the block and begins the next at the same instant. No part may be under way.
  BlockTimes cut();

 private:
  struct Move {
    std::size_t after;  ///< intervals
    contract::StepPart from, to;
    double seconds;
  };
  void resolve();
  void apply(const Move& move);

  const base::Clock& clock_;
  std::unique_ptr<Timeline> timeline_;
  double block_start_s_ = 0;
  int part_ = -1;
  std::vector<int> intervals_;  ///< what was under way before each mark of the timeline
  std::vector<Move> moves_;     ///< of these intervals, in order
  StepParts parts_{};           ///< of the intervals before these
};

}  // namespace dlscale::trainer
