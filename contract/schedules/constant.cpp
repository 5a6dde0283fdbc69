// SPDX-License-Identifier: Apache-2.0
// LR = LR_max.
#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double) {
  return context.peak;
}

}  // namespace

extern const LrScheduleEntry constant_entry;
const LrScheduleEntry constant_entry{"constant", "the peak rate throughout", rate};

}  // namespace dlscale::contract
