// SPDX-License-Identifier: Apache-2.0
// Timer that divides the wall time of training steps into parts, such as forward and backward.
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

/// Seconds of each part, in the order of contract::StepPart.
using StepParts = std::array<double, contract::kStepParts>;

/// Wall time of a block of steps and the times of its parts, in seconds. The part `other` is the
/// time in which no other part was active, so that the sum of all parts equals wall_s.
struct BlockTimes {
  double wall_s = 0;
  StepParts parts{};
};

/// Timer that divides the time of the device into parts. At most one part is active at a time. A
/// part starts when the device has finished all work that was submitted before enter(). The part
/// ends when the device has finished the work that was submitted while the part was active. Only
/// start() and cut() wait for the device.
class StepTimer {
 public:
  StepTimer(const base::Clock& clock, Device& device);
  /// Starts a block and discards all times measured so far.
  void start();
  /// Ends the active part, if there is one, and starts `part`.
  void enter(contract::StepPart part);
  /// Ends the active part.
  void leave();
  /// Moves `seconds` from the time of part `from` to the time of part `to`, in this block. If
  /// `from` has less time, moves the whole time of `from`.
  void move(contract::StepPart from, contract::StepPart to, double seconds);
  /// Ends the block, starts the next block at the same instant, and returns the ended block. No
  /// part may be active.
  BlockTimes cut();

 private:
  struct Move {
    std::size_t after;  ///< number of intervals that ended before the move
    contract::StepPart from, to;
    double seconds;
  };
  void resolve();
  void apply(const Move& move);

  const base::Clock& clock_;
  std::unique_ptr<Timeline> timeline_;
  double block_start_s_ = 0;
  int part_ = -1;
  std::vector<int> intervals_;  ///< part that was active in the interval before each timeline mark
  std::vector<Move> moves_;     ///< moves since the last reading of the intervals, in order
  StepParts parts_{};           ///< seconds of each part in the intervals that were already read
};

}  // namespace dlscale::trainer
