// SPDX-License-Identifier: Apache-2.0
// What planning again would change in a plan folder, run by run.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::planner {

using contract::RunChange;

/// Each in the order of its plan: the new one, for removed runs the folder's.
struct PlanDiff {
  std::vector<RunChange> added;    ///< runs the folder's plan does not have
  std::vector<RunChange> removed;  ///< runs only it has; their files stay
  std::vector<RunChange> changed;
  std::vector<RunChange> stale;  ///< changed, but there are results of the old description
  std::vector<RunChange> unchanged;
  std::size_t moved = 0;  ///< of the unchanged ones: runs of other jobs than before
};

/// Compares with plan.json and the run.json files (for an array's runs that never started: with the
/// array's table) in the folder; a folder without a plan has no runs. Throws base::SpecError for a
/// broken plan.json and base::UsageError when it is another study's.
PlanDiff diff_plan(const Planning& planning, const contract::PlanDir& folder);

double total_gpu_hours(const std::vector<RunChange>& runs);

}  // namespace dlscale::planner
