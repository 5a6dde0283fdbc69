// SPDX-License-Identifier: Apache-2.0
// `dlscale plan --diff`: what planning again would change, and what that costs.
#pragma once

#include <iosfwd>

#include "planner/output/plan_diff.hpp"

namespace dlscale::workspace {

/// A line for each run that is new, gone or other than before, with the keys that differ; then how
/// many there are of each kind and what they may take.
void print_diff(const planner::PlanDiff& diff, std::ostream& out);

/// The same as one JSON object (contract::PlanChanges).
void print_diff_json(const planner::PlanDiff& diff, std::ostream& out);

}  // namespace dlscale::workspace
