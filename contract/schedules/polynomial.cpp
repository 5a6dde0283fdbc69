// SPDX-License-Identifier: Apache-2.0
// LR = LR_min + (LR_max - LR_min) (1 - t / t_max)^power, LR_min after t_max: with power 2 and 0 the
// decay of You et al., Large Batch Training of Convolutional Networks (2017).
#include <algorithm>
#include <cmath>

#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double t) {
  const double low = context.spec.lr_min;
  const double left = std::max(1 - t / context.t_max, 0.0);
  return low + (context.peak - low) * std::pow(left, context.spec.power);
}

}  // namespace

extern const LrScheduleEntry polynomial_entry;
const LrScheduleEntry polynomial_entry{"polynomial", "a power of what is left, to lr_min", rate};

}  // namespace dlscale::contract
