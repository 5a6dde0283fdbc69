// SPDX-License-Identifier: Apache-2.0
// Reports the changes that planning the study again would make, for `dlscale plan --diff`.
#pragma once

#include <iosfwd>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"

namespace dlscale::workspace {

/// Prints the changes as text, or as one JSON object (contract::PlanChanges) with `as_json`. The
/// text has a line for each run that would be added, removed or changed, with the changed keys. It
/// also states the number of runs and the GPU-hours for each kind of change, and lists results of
/// runs that are not in the plan.
void show_diff(const planner::Planning& planning, const contract::PlanDir& folder, bool as_json,
               std::ostream& out);

}  // namespace dlscale::workspace
