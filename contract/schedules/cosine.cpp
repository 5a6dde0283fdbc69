// SPDX-License-Identifier: Apache-2.0
// LR = LR_min + (LR_max - LR_min) (1 + cos(pi t / t_max)) / 2: Aach et al., J. Big Data 10:96
// (2023), equation 1; LR_min after t_max.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double t) {
  const double low = context.spec.lr_min;
  const double share = std::min(t / context.t_max, 1.0);
  return low + (context.peak - low) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

}  // namespace

extern const LrScheduleEntry cosine_entry;
const LrScheduleEntry cosine_entry{"cosine", "half a cosine from the peak to lr_min", rate};

}  // namespace dlscale::contract
