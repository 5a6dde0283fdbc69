// SPDX-License-Identifier: Apache-2.0
// Finds finished runs and leftover files of earlier plans in a plan folder.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

// Finished runs of a plan folder, for new time limits.

/// Returns the started runs of the existing plan, with the time of runs that completed in a single
/// launch. Empty if there is no plan of the same study, or nothing was started.
std::vector<planner::FinishedRun> finished_runs(const contract::PlanDir& folder,
                                                const std::string& study);

// Leftovers of earlier plans that the current plan does not contain.

/// Data that a new plan takes from the existing plan: kept jobs, and started runs where the planner
/// uses them.
planner::EarlierPlan earlier_plan(const planner::Planner& planner, const contract::PlanDir& folder);

/// Returns a line with the number of runs that the existing plan has in addition to those of
/// `plan`, or an empty text. Must be called before the folder is written. Throws base::SpecError
/// for a broken plan.json.
std::string runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line with the submitted runs that are not in `plan` and how to cancel them, or an
/// empty text.
std::string open_runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line with the runs in runs/ that have results but are not in `plan`, or an empty text.
std::string results_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns a line with the scripts in jobs/ that belong to no job of `plan`, or an empty text.
std::string scripts_left_over(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
