// SPDX-License-Identifier: Apache-2.0
// Trees whose stages are slower the more GPUs there are: each waits for the last of those below it.
#include <cmath>

#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  const double stages = std::log2(gpus);
  return {ideal_time(gpus, first_gpus, work), stages * stages};
}

}  // namespace

extern const ScalingLaw log2_squared_entry;
const ScalingLaw log2_squared_entry{.name = "log2_squared",
                                    .summary = "stages of a tree that wait for their slowest",
                                    .per_gpu = {"a + b log2(G)^2", true},
                                    .fixed = {"a G0/G + b log2(G)^2", false},
                                    .of_rate = false,
                                    .terms = &terms};

}  // namespace dlscale::analysis
