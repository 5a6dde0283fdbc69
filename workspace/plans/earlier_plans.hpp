// SPDX-License-Identifier: Apache-2.0
// What earlier plans left in a plan folder: runs that have finished, and files that the plan at
// hand does not have.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

// Runs of a plan folder that have finished, for the time limits of the next ones.

/// Of the plan in the folder those that have begun, with the time of those that are done in a
/// single launch. None where there is no plan, or another study's, or nothing was started.
std::vector<planner::FinishedRun> finished_runs(const contract::PlanDir& folder,
                                                const std::string& study);

// What earlier plans left in a plan folder and the plan at hand does not have.

/// What a plan takes from the plan that its folder has: jobs that stay and runs that have begun,
/// where the planner uses them.
planner::EarlierPlan earlier_plan(const planner::Planner& planner, const contract::PlanDir& folder);

/// How many runs the plan in the folder has beside those of `plan`, in words: a line, or nothing.
/// To be asked before the folder is written. Throws base::SpecError for a broken plan.json.
std::string runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// The runs in a job's hands that are none of `plan`, with how to end them, in words: a line, or
/// nothing.
std::string open_runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// The runs with results in runs/ that are none of `plan`, in words: a line, or nothing.
std::string results_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

/// The scripts in jobs/ that are of no job of `plan`, in words: a line, or nothing.
std::string scripts_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
