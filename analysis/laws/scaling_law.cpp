// SPDX-License-Identifier: Apache-2.0
#include "analysis/laws/scaling_law.hpp"

namespace dlscale::analysis {

const LawForm& form_of(const ScalingLaw& law, Work work) {
  return work == Work::PerGpu ? law.per_gpu : law.fixed;
}

double ideal_time(double gpus, double first_gpus, Work work) {
  return work == Work::PerGpu ? 1 : first_gpus / gpus;
}

}  // namespace dlscale::analysis
