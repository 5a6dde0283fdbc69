// SPDX-License-Identifier: Apache-2.0
// LR = LR_max x gamma^t: Aach et al., J. Big Data 10:96 (2023), equation 2.
#include <cmath>

#include "contract/learning_rate.hpp"

namespace dlscale::contract {
namespace {

double rate(const ScheduleContext& context, double t) {
  return context.peak * std::pow(context.spec.gamma, t);
}

}  // namespace

extern const LrScheduleEntry exponential_entry;
const LrScheduleEntry exponential_entry{"exponential", "times gamma per epoch, continuously", rate};

}  // namespace dlscale::contract
