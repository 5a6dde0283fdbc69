// SPDX-License-Identifier: Apache-2.0
// Compares a new plan with the plan in a folder, run by run.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::planner {

using contract::RunChange;

/// Differences between two plans. Each list is in the order of the new plan. The removed runs are
/// in the order of the plan in the folder.
struct PlanDiff {
  std::vector<RunChange> added;    ///< runs that only the new plan has
  std::vector<RunChange> removed;  ///< runs that only the folder's plan has; their files stay
  std::vector<RunChange> changed;
  std::vector<RunChange> stale;  ///< changed runs with results of the old description
  std::vector<RunChange> unchanged;
  std::size_t moved = 0;  ///< number of unchanged runs that move to another job
};

/// Compares the plan with plan.json and the run.json files in the folder. For runs of an array that
/// never started, compares with the array's table. A folder without a plan has no runs. Throws
/// base::SpecError for a broken plan.json, and base::UsageError when plan.json belongs to another
/// study.
PlanDiff diff_plan(const Planning& planning, const contract::PlanDir& folder);

double total_gpu_hours(const std::vector<RunChange>& runs);

}  // namespace dlscale::planner
