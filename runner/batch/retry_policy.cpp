// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/retry_policy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlscale::runner {
namespace {

constexpr double kSlice_s = 0.2;  // longest time until wait_for() reacts to a stop request
constexpr double kLongest_s = 60;

}  // namespace

void wait_for(const WaitContext& waiting, double seconds) {
  const double end_s = waiting.clock.steady_s() + seconds;
  for (double rest_s = seconds; rest_s > 0; rest_s = end_s - waiting.clock.steady_s()) {
    if (waiting.stop_requests() > 0) return;
    waiting.pause(std::min(rest_s, kSlice_s));
  }
}

bool RetryPolicy::ask(const std::function<void()>& question) const {
  const double begin_s = waiting_.clock.steady_s();
  for (double pause_s = 1;; pause_s = std::min(2 * pause_s, kLongest_s)) {
    try {
      question();
      return true;
    } catch (const SchedulerUnreachable& silence) {
      const double left_s = limit_s_ - (waiting_.clock.steady_s() - begin_s);
      if (left_s <= 0) throw;
      pause_s = std::min(pause_s, left_s);
      tell_(fmt::format("{}; retrying in {:.0f} s", silence.what(), pause_s));
    }
    wait_for(waiting_, pause_s);
    if (waiting_.stop_requests() > 0) return false;
  }
}

}  // namespace dlscale::runner
