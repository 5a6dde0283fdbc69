// SPDX-License-Identifier: Apache-2.0
// Where the wall time of steps goes.
#pragma once

#include <array>

#include "base/clock.hpp"
#include "contract/result_record.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {

using StepParts =
    std::array<double, contract::kStepParts>;  ///< seconds, in contract::StepPart order

/// A block of time and its parts; `other` is what no part claims, so that the parts sum to wall_s.
struct BlockTimes {
  double wall_s = 0;
  StepParts parts{};
};

/// Splits time into parts. One part is under way at a time; the device is awaited at each change,
/// so that work counts where it was caused.
class StepTimer {
 public:
  StepTimer(const base::Clock& clock, Device& device) : clock_(clock), device_(device) {}
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
  const base::Clock& clock_;
  Device& device_;
  double block_start_s_ = 0;
  double part_start_s_ = 0;
  int part_ = -1;
  StepParts parts_{};
};

}  // namespace dlscale::trainer
