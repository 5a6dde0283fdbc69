// SPDX-License-Identifier: Apache-2.0
// LR = LR_max x factor^k, k = milestones passed: PyTorch's MultiStepLR.
#include <algorithm>
#include <cmath>

#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double t) {
  const auto passed = std::ranges::count_if(
      context.spec.milestones, [t](double milestone) { return t + kEpochSlack >= milestone; });
  return context.peak * std::pow(context.spec.factor, static_cast<double>(passed));
}

}  // namespace

extern const LrScheduleEntry multistep_entry;
const LrScheduleEntry multistep_entry{"multistep", "times a factor at each milestone", rate};

}  // namespace dlscale::contract
