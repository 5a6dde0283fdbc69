// SPDX-License-Identifier: Apache-2.0
// What a plan comes to, in a screenful.
#pragma once

#include <iosfwd>
#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Runs, jobs by kind, GPU-hours in all and by axis, predicted times, one row for each distinct
/// (GPUs, nodes, batches, peak learning rate), what was skipped and why, warnings.
void print_plan_summary(const contract::Plan& plan, std::ostream& out);

/// Returns a line for each stale run and one of the files that were written, or would be.
std::string describe_written(const planner::WrittenPlan& written, const contract::PlanDir& out,
                             bool dry_run);

}  // namespace dlscale::workspace
