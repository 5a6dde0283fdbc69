// SPDX-License-Identifier: Apache-2.0
// The universal scalability law (Gunther, 1993): contention and coherence.
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> terms(double gpus, double /*first_gpus*/, Work work) {
  const double share = work == Work::PerGpu ? 1 : 1 / gpus;
  return {share, share * (gpus - 1), share * gpus * (gpus - 1)};
}

}  // namespace

extern const ScalingLaw usl_entry;
const ScalingLaw usl_entry{.name = "usl",
                           .summary = "contention and coherence",
                           .per_gpu = {"a + b (G-1) + c G(G-1)", false},
                           .fixed = {"(a + b (G-1) + c G(G-1)) / G", false},
                           .of_rate = false,
                           .terms = &terms};

}  // namespace dlscale::analysis
