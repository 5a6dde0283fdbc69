// SPDX-License-Identifier: Apache-2.0
// How ranks agree that one of them was told to stop.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace dlscale::trainer {

/// Whether this rank was told that the time is nearly up.
using ToldToStop = std::function<bool()>;

/// **Collective.** Whether any rank was told: all then break off, or none.
bool any_is_told(CollectiveQueue& queue, const ToldToStop& told);

/// When a window ends all ranks hear of it anyway. In windows that take longer than a few seconds
/// they ask each other in between, so seldom that it costs nothing.
class StopPoll {
 public:
  StopPoll(CollectiveQueue& queue, const base::Clock& clock, ToldToStop told);
  bool told() const { return told_(); }
  /// To be called after each step. Whether to ask now: the same on all ranks.
  bool due_after_step() { return ++steps_ >= interval_; }
  /// **Collective.** Whether any rank was told.
  bool ask();
  /// All ranks have met after `steps` that took `seconds`; these are the same on all ranks.
  void met(std::int64_t steps, double seconds);

 private:
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  ToldToStop told_;
  std::int64_t interval_ = 1;  ///< steps between meetings
  std::int64_t steps_ = 0;     ///< since the last
  double met_s_;
};

}  // namespace dlscale::trainer
