// SPDX-License-Identifier: Apache-2.0
// Checks whether the runs of `dlscale run` can run on this machine, and reports how they ended.
#pragma once

#include <vector>

#include "planner/planner.hpp"
#include "runner/launch/launcher.hpp"

namespace dlscale::workspace {

/// Throws base::UsageError if the planned runs cannot run on this machine: their site has a
/// scheduler, there is no trainer, or one of their paths has an unset variable. Writes nothing, so
/// it can be called before a folder is created.
void require_runnable_here(const planner::Planning& planning);

/// Returns how the runs of a report ended, with the last end of runs that ended several times.
std::vector<runner::RunReport> last_ends(const runner::LaunchReport& report);

}  // namespace dlscale::workspace
