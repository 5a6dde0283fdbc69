// SPDX-License-Identifier: Apache-2.0
// Trees: as many stages as doublings of the GPUs.
#include <cmath>

#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work), std::log2(gpus)};
}

}  // namespace

extern const ScalingLaw log2_entry;
const ScalingLaw log2_entry{.name = "log2",
                            .summary = "stages of a tree",
                            .per_gpu = {"a + b log2(G)", true},
                            .fixed = {"a G0/G + b log2(G)", true},
                            .of_rate = false,
                            .terms = &terms};

}  // namespace dlscale::analysis
