// SPDX-License-Identifier: Apache-2.0
// The runs that `dlscale run` starts on this machine: whether they can run here, and how they
// ended.
#pragma once

#include <vector>

#include "planner/planner.hpp"
#include "runner/launch/launcher.hpp"

namespace dlscale::workspace {

/// Throws base::UsageError where the planned runs cannot run on this machine: their site has a
/// batch system, there is no trainer, or a path that they read has a variable that is not set.
/// Writes nothing, so that it can be asked before a folder is made.
void require_runnable_here(const planner::Planning& planning);

/// How the runs of a report ended; of runs that ended more than once how they did at last.
std::vector<runner::RunReport> last_ends(const runner::LaunchReport& report);

}  // namespace dlscale::workspace
