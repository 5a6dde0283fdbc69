// SPDX-License-Identifier: Apache-2.0
// Reports the changes that planning again would make, for `dlscale plan --diff`.
#pragma once

#include <iosfwd>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"

namespace dlscale::workspace {

/// Prints a line for each run that would be added, removed or changed, with the changed keys, the
/// number of runs per kind with their GPU-hours, and results of runs that are not in the plan. As
/// JSON it prints one object (contract::PlanChanges).
void show_diff(const planner::Planning& planning, const contract::PlanDir& folder, bool as_json,
               std::ostream& out);

}  // namespace dlscale::workspace
