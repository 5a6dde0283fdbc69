// SPDX-License-Identifier: Apache-2.0
// Polls by which all ranks learn that one rank has received a stop request, so that all ranks stop
// the run together.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Function that returns true if this rank has received a stop request, which is a warning that the
/// time limit is near.
using StopRequested = std::function<bool()>;

/// **Collective.** Returns true if any rank has received a stop request. The result is the same on
/// all ranks, so that all ranks stop together.
bool any_stop_requested(CollectiveQueue& queue, const StopRequested& told);

/// Schedule of the polls for stop requests between the steps of a window. All ranks exchange stop
/// requests at the end of each window. In windows longer than a few seconds, the ranks also poll
/// between steps. The polls are so rare that their cost is negligible.
class StopPoll {
 public:
  StopPoll(CollectiveQueue& queue, const base::Clock& clock, StopRequested told);
  bool told() const { return told_(); }
  /// Counts a step. Returns true if the caller must call ask() now. The caller must call
  /// due_after_step() after each step. The result is the same on all ranks.
  bool due_after_step() { return ++steps_ >= interval_; }
  /// **Collective.** Returns true if any rank has received a stop request.
  bool ask();
  /// Restarts the poll interval after all ranks have exchanged their stop requests, in ask() or in
  /// another collective. `steps` is the number of steps since the previous exchange, and `seconds`
  /// is the duration of these steps. Both values must be the same on all ranks.
  void record_meeting(std::int64_t steps, double seconds);

 private:
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  StopRequested told_;
  std::int64_t interval_ = 1;  ///< number of steps between two exchanges of stop requests
  std::int64_t steps_ = 0;     ///< number of steps since the last exchange
  double met_s_;
};

}  // namespace dlscale::trainer
