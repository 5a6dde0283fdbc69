// SPDX-License-Identifier: Apache-2.0
// Compares a new plan with the plan in a folder, run by run.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::planner {

using contract::RunChange;

/// Differences between two plans. The runs are listed in the order of the new plan. Only `removed`
/// is in the order of the old plan.
struct PlanDiff {
  std::vector<RunChange> added;    ///< runs that only the new plan contains
  std::vector<RunChange> removed;  ///< runs that only the old plan contains; their files stay
  std::vector<RunChange> changed;
  /// Changed runs that already have results. The results belong to the old descriptions of the
  /// runs.
  std::vector<RunChange> stale;
  std::vector<RunChange> unchanged;
  std::size_t moved = 0;  ///< number of unchanged runs whose job has changed
};

/// Compares the plan with the plan.json and run.json files in the folder. The runs of an array have
/// no run.json until they start. The array's table then describes them. A folder without a plan
/// counts as a plan without runs. Throws base::SpecError for a broken plan.json, and
/// base::UsageError if plan.json belongs to another study.
PlanDiff diff_plan(const Planning& planning, const contract::PlanDir& folder);

double total_gpu_hours(const std::vector<RunChange>& runs);

}  // namespace dlscale::planner
