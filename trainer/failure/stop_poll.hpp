// SPDX-License-Identifier: Apache-2.0
// Agreement of all ranks that the run must stop because one of them has received a stop request.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Function that returns true if this rank has been warned that its time is nearly up.
using StopRequested = std::function<bool()>;

/// **Collective.** Returns true if any rank has received a stop request. The result is the same on
/// all ranks, so that either all ranks stop or none.
bool any_stop_requested(CollectiveQueue& queue, const StopRequested& told);

/// Poll for stop requests within a window. All ranks learn of a request at the end of each window.
/// In windows longer than a few seconds, the ranks also poll between steps. The polls are rare
/// enough to be free of cost.
class StopPoll {
 public:
  StopPoll(CollectiveQueue& queue, const base::Clock& clock, StopRequested told);
  bool told() const { return told_(); }
  /// Counts a step and returns true if a poll is due. Must be called after each step. The result is
  /// the same on all ranks.
  bool due_after_step() { return ++steps_ >= interval_; }
  /// **Collective.** Returns true if any rank has received a stop request.
  bool ask();
  /// Restarts the poll interval after all ranks have met. The `steps` steps since the last meeting
  /// took `seconds`. Both values must be the same on all ranks.
  void record_meeting(std::int64_t steps, double seconds);

 private:
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  StopRequested told_;
  std::int64_t interval_ = 1;  ///< steps between meetings
  std::int64_t steps_ = 0;     ///< steps since the last meeting
  double met_s_;
};

}  // namespace dlscale::trainer
