// SPDX-License-Identifier: Apache-2.0
// A ring all-reduce with bandwidth and the latency of its 2 (G - 1) messages.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work), (gpus - 1) / gpus, gpus - 1};
}

}  // namespace

extern const ScalingLaw ring_latency_entry;
const ScalingLaw ring_latency_entry{.name = "ring_latency",
                                    .summary = "bandwidth and latency of a ring all-reduce",
                                    .per_gpu = {"a + b (G-1)/G + c (G-1)", false},
                                    .fixed = {"a G0/G + b (G-1)/G + c (G-1)", false},
                                    .of_rate = false,
                                    .terms = &terms};

}  // namespace dlscale::analysis
