// SPDX-License-Identifier: Apache-2.0
// Amdahl (1967): a part of the work that every GPU does in whole.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work), work == Work::PerGpu ? gpus / first_gpus : 1};
}

}  // namespace

extern const ScalingLaw amdahl_entry;
const ScalingLaw amdahl_entry{.name = "amdahl",
                              .summary = "a serial part",
                              .per_gpu = {"a + b G/G0", false},
                              .fixed = {"a G0/G + b", true},
                              .of_rate = false,
                              .terms = &terms};

}  // namespace dlscale::analysis
