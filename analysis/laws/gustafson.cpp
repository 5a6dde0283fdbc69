// SPDX-License-Identifier: Apache-2.0
// Gustafson (1988): of a work that grows with the GPUs a part gains nothing from them.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {1, work == Work::PerGpu ? gpus / first_gpus : 0};
}

}  // namespace

extern const ScalingLaw gustafson_entry;
const ScalingLaw gustafson_entry{.name = "gustafson",
                                 .summary = "scaled speed-up: a part that gains nothing from GPUs",
                                 .per_gpu = {"(G/G0) / (a + b G/G0)", false},
                                 .fixed = {},
                                 .of_rate = true,
                                 .terms = &terms};

}  // namespace dlscale::analysis
