// SPDX-License-Identifier: Apache-2.0
// LR = LR_max x gamma^t: Aach et al., J. Big Data 10:96 (2023), equation 2.
#include <cmath>

#include "trainer/optim/lr_schedule.hpp"

namespace dlscale::trainer {
namespace {

double rate(const ScheduleContext& context, double t) {
  return context.peak * std::pow(context.spec.gamma, t);
}

}  // namespace

extern const LrScheduleEntry exponential_entry;
const LrScheduleEntry exponential_entry{"exponential", "times gamma per epoch, continuously", rate};

}  // namespace dlscale::trainer
