// SPDX-License-Identifier: Apache-2.0
// Describes a launch that contributes to the result of a run.
#pragma once

#include <cstdint>
#include <limits>

namespace dlscale::analysis {

/// Launch that contributes to the result of a run. `until` is the number of the run's steps that
/// were done at the checkpoint from which the next launch resumed. The next launch repeated the
/// steps after step `until`. `until` is the largest integer for the last launch.
struct LaunchLink {
  int launch = 1;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
};

}  // namespace dlscale::analysis
