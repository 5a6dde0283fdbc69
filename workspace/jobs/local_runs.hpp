// SPDX-License-Identifier: Apache-2.0
// Checks whether the runs of `dlscale run` can run on this machine, and reports how they ended.
#pragma once

#include <vector>

#include "planner/planner.hpp"
#include "runner/launch/launcher.hpp"

namespace dlscale::workspace {

/// Throws base::UsageError if the planned runs cannot run on this machine. This is the case if the
/// site has a scheduler, if dlscale-train is missing and the study uses it, or if a path of a run
/// contains an unset variable. Writes nothing, so it can be called before a folder is created.
void require_runnable_here(const planner::Planning& planning);

/// Returns the ends of the runs in a report. For a run that ended several times, returns the last
/// end.
std::vector<runner::RunReport> last_ends(const runner::LaunchReport& report);

}  // namespace dlscale::workspace
