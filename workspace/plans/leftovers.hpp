// SPDX-License-Identifier: Apache-2.0
// Finds the finished runs and the leftover files of earlier plans in a plan folder.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

// The following function finds finished runs, from which the planner derives new time limits.

/// Returns the runs of the existing plan that have started. For a run that completed in a single
/// launch, the result contains the time of the run. Returns no runs if the folder has no plan of
/// the same study, or if no run has started.
std::vector<planner::FinishedRun> finished_runs(const contract::PlanDir& folder,
                                                const std::string& study);

// The following functions find data of earlier plans in a plan folder.

/// Returns the data that a new plan takes from the existing plan: the jobs to keep, and the runs
/// that have started. A list is empty if the planner does not use it.
planner::EarlierPlan earlier_plan(const planner::Planner& planner, const contract::PlanDir& folder);

/// Returns a line with the number of runs that are in the existing plan but not in `plan`. Returns
/// an empty text if there are none. Must be called before the folder is written. Throws
/// base::SpecError for a broken plan.json.
std::string runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line that lists the submitted runs that are not in `plan` and explains how to cancel
/// them. Returns an empty text if there are none.
std::string open_runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line that lists the runs in runs/ that have results but are not in `plan`. Returns an
/// empty text if there are none.
std::string results_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line that lists the scripts in jobs/ that belong to no job of `plan`. Returns an empty
/// text if there are none.
std::string scripts_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
