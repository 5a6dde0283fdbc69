// SPDX-License-Identifier: Apache-2.0
#include "trainer/record/step_timer.hpp"

#include <algorithm>
#include <numeric>

namespace dlscale::trainer {

using contract::StepPart;

void StepTimer::start() {
  device_.synchronize();
  block_start_s_ = clock_.steady_s();
  part_ = -1;
  parts_ = {};
}

void StepTimer::enter(StepPart part) {
  leave();
  part_ = static_cast<int>(part);
}

void StepTimer::leave() {
  device_.synchronize();
  const double now_s = clock_.steady_s();
  if (part_ >= 0) parts_[part_] += now_s - part_start_s_;
  part_start_s_ = now_s;
  part_ = -1;
}

void StepTimer::move(StepPart from, StepPart to, double seconds) {
  double& source = parts_[static_cast<int>(from)];
  const double moved = std::clamp(seconds, 0.0, source);
  source -= moved;
  parts_[static_cast<int>(to)] += moved;
}

BlockTimes StepTimer::cut() {
  const double now_s = clock_.steady_s();
  BlockTimes block{now_s - block_start_s_, parts_};
  double& other = block.parts[static_cast<int>(StepPart::other)];
  other += block.wall_s - std::accumulate(parts_.begin(), parts_.end(), 0.0);
  block_start_s_ = now_s;
  parts_ = {};
  return block;
}

}  // namespace dlscale::trainer
