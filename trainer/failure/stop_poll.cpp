// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/stop_poll.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace dlscale::trainer {
namespace {

constexpr double kInterval_s = 2;
constexpr double kMostSteps = 1e9;

}  // namespace

bool any_stop_requested(CollectiveQueue& queue, const StopRequested& told) {
  std::int64_t answer = told() ? 1 : 0;
  queue.all_reduce({&answer, 1, ElementType::int64}, ReduceOp::max)->wait();
  return answer != 0;
}

StopPoll::StopPoll(CollectiveQueue& queue, const base::Clock& clock, StopRequested told)
    : queue_(queue), clock_(clock), told_(std::move(told)), met_s_(clock.steady_s()) {}

bool StopPoll::ask() {
  std::array<double, 2> most{told_() ? 1.0 : 0.0, clock_.steady_s() - met_s_};
  queue_.all_reduce({most.data(), most.size(), ElementType::float64}, ReduceOp::max)->wait();
  record_meeting(steps_, most[1]);
  return most[0] > 0;
}

void StopPoll::record_meeting(std::int64_t steps, double seconds) {
  const double wanted = kInterval_s * static_cast<double>(steps) / std::max(seconds, 1e-9);
  interval_ = static_cast<std::int64_t>(std::clamp(wanted, 1.0, kMostSteps));
  steps_ = 0;
  met_s_ = clock_.steady_s();
}

}  // namespace dlscale::trainer
