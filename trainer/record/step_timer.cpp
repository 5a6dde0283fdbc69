// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_timer.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace dlscale::trainer {

using contract::StepPart;

namespace {

/// Maximum number of timeline marks. When this number is reached, the times of the marks are read
/// and the marks are released. The number is limited because each mark takes memory of the GPU
/// driver.
constexpr std::size_t kMostIntervals = 4096;

constexpr int kNoPart = -1;

}  // namespace

StepTimer::StepTimer(const base::Clock& clock, Device& device)
    : clock_(clock), timeline_(device.timeline(clock)) {}

void StepTimer::start() {
  timeline_->mark();
  timeline_->take_intervals();
  block_start_s_ = clock_.steady_s();
  part_ = kNoPart;
  intervals_.clear();
  moves_.clear();
  parts_ = {};
}

void StepTimer::enter(StepPart part) {
  leave();
  part_ = static_cast<int>(part);
}

void StepTimer::leave() {
  timeline_->mark();
  intervals_.push_back(std::exchange(part_, kNoPart));
  if (intervals_.size() == kMostIntervals) resolve();
}

void StepTimer::move(StepPart from, StepPart to, double seconds) {
  moves_.push_back({intervals_.size(), from, to, seconds});
}

BlockTimes StepTimer::cut() {
  resolve();
  const double now_s = clock_.steady_s();
  BlockTimes block{now_s - block_start_s_, parts_};
  double& other = block.parts[static_cast<int>(StepPart::other)];
  other += block.wall_s - std::accumulate(parts_.begin(), parts_.end(), 0.0);
  block_start_s_ = now_s;
  parts_ = {};
  return block;
}

void StepTimer::resolve() {
  const std::vector<double> taken_s = timeline_->take_intervals();
  auto next = moves_.begin();
  const auto apply_moves_after = [&](std::size_t intervals) {
    for (; next != moves_.end() && next->after == intervals; ++next) apply(*next);
  };
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    apply_moves_after(i);
    if (intervals_[i] != kNoPart) parts_[static_cast<std::size_t>(intervals_[i])] += taken_s[i];
  }
  apply_moves_after(intervals_.size());
  intervals_.clear();
  moves_.clear();
}

void StepTimer::apply(const Move& move) {
  double& source = parts_[static_cast<std::size_t>(move.from)];
  const double moved = std::clamp(move.seconds, 0.0, source);
  source -= moved;
  parts_[static_cast<std::size_t>(move.to)] += moved;
}

}  // namespace dlscale::trainer
