// SPDX-License-Identifier: Apache-2.0
// Timer that divides the wall time of steps into parts.
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

/// Block of time and its parts. `other` is the time outside all parts, so the parts sum to wall_s.
struct BlockTimes {
  double wall_s = 0;
  StepParts parts{};
};

/// Timer that divides time into parts, of which at most one is active at a time. The times are
/// those of the device: a part starts when the device has finished the work given before the part,
/// and ends when the device has finished the work given during the part. Only start() and cut()
/// wait for the device.
class StepTimer {
 public:
  StepTimer(const base::Clock& clock, Device& device);
  /// Starts a block and discards all earlier time.
  void start();
  /// Ends the active part, if any, and starts `part`.
  void enter(contract::StepPart part);
  /// Ends the active part.
  void leave();
  /// Moves `seconds` of this block from part `from` to part `to`, but at most the time of `from`.
  void move(contract::StepPart from, contract::StepPart to, double seconds);
  /// Ends the block, starts the next block at the same instant, and returns the ended block. No
  /// part may be active.
  BlockTimes cut();

 private:
  struct Move {
    std::size_t after;  ///< number of intervals before the move
    contract::StepPart from, to;
    double seconds;
  };
  void resolve();
  void apply(const Move& move);

  const base::Clock& clock_;
  std::unique_ptr<Timeline> timeline_;
  double block_start_s_ = 0;
  int part_ = -1;
  std::vector<int> intervals_;  ///< active part before each mark of the timeline
  std::vector<Move> moves_;     ///< moves among these intervals, in order
  StepParts parts_{};           ///< seconds of the intervals before these
};

}  // namespace dlscale::trainer
