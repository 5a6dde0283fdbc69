// SPDX-License-Identifier: Apache-2.0
// Perfect scaling: nothing is lost.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work)};
}

}  // namespace

extern const ScalingLaw constant_entry;
const ScalingLaw constant_entry{.name = "constant",
                                .summary = "perfect scaling",
                                .per_gpu = {"a", false},
                                .fixed = {"a G0/G", true},
                                .of_rate = false,
                                .terms = &terms};

}  // namespace dlscale::analysis
