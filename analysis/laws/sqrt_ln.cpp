// SPDX-License-Identifier: Apache-2.0
// Stragglers: the slowest of G normal times is about sqrt(2 ln G) deviations behind the mean.
#include <cmath>

#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work), std::sqrt(std::log(gpus))};
}

}  // namespace

extern const ScalingLaw sqrt_ln_entry;
const ScalingLaw sqrt_ln_entry{.name = "sqrt_ln",
                               .summary = "waiting for the slowest",
                               .per_gpu = {"a + b sqrt(ln G)", true},
                               .fixed = {"a G0/G + b sqrt(ln G)", true},
                               .of_rate = false,
                               .terms = &terms};

}  // namespace dlscale::analysis
