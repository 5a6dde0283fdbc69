// SPDX-License-Identifier: Apache-2.0
// `dlscale plan --diff`: what planning again would change, and what that costs.
#pragma once

#include <iosfwd>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"

namespace dlscale::workspace {

/// Prints what planning again would change in the folder: a line for each run that is new, gone or
/// other than before, with the keys that differ, how many there are of each kind and what they may
/// take, then results that no run of the plan has. As JSON it is one object
/// (contract::PlanChanges).
void show_diff(const planner::Planning& planning, const contract::PlanDir& folder, bool as_json,
               std::ostream& out);

}  // namespace dlscale::workspace
