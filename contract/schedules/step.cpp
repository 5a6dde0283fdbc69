// SPDX-License-Identifier: Apache-2.0
// LR = LR_max x factor^k, k = milestones passed, or whole multiples of every_epochs.
#include <algorithm>
#include <cmath>

#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double t) {
  const LrScheduleSpec& spec = context.spec;
  double passed = static_cast<double>(std::ranges::count_if(
      spec.milestones, [t](double milestone) { return t + kEpochSlack >= milestone; }));
  if (spec.milestones.empty() && spec.every_epochs > 0) {
    passed = std::floor(t / spec.every_epochs + kEpochSlack);
  }
  return context.peak * std::pow(spec.factor, passed);
}

}  // namespace

extern const LrScheduleEntry step_entry;
const LrScheduleEntry step_entry{"step", "times a factor at given epochs", rate};

}  // namespace dlscale::contract
