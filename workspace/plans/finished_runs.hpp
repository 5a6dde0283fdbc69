// SPDX-License-Identifier: Apache-2.0
// Runs of a plan folder that have finished, for the time limits of the next ones.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/finished_runs.hpp"

namespace dlscale::workspace {

/// Of the plan in the folder those that have begun, with the time of those that are done in a
/// single launch. None where there is no plan, or another study's, or nothing was started.
std::vector<planner::FinishedRun> finished_runs(const contract::PlanDir& folder,
                                                const std::string& study);

}  // namespace dlscale::workspace
