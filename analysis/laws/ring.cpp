// SPDX-License-Identifier: Apache-2.0
// The bandwidth of a ring all-reduce: each GPU sends 2 (G - 1) / G of the message. Of fixed work
// that is Amdahl's law in other terms, and counted once.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double first_gpus, Work work) {
  return {ideal_time(gpus, first_gpus, work), (gpus - 1) / gpus};
}

}  // namespace

extern const ScalingLaw ring_entry;
const ScalingLaw ring_entry{.name = "ring",
                            .summary = "bandwidth of a ring all-reduce",
                            .per_gpu = {"a + b (G-1)/G", false},
                            .fixed = {"a G0/G + b (G-1)/G", false},
                            .of_rate = false,
                            .terms = &terms};

}  // namespace dlscale::analysis
