// SPDX-License-Identifier: Apache-2.0
// Summarises a plan on one screen.
#pragma once

#include <iosfwd>
#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Prints the number of runs, jobs by kind, total GPU-hours and by axis, predicted times, one row
/// for each distinct (GPUs, nodes, batches, peak learning rate), skipped points with reasons, and
/// warnings.
void print_plan_summary(const contract::Plan& plan, std::ostream& out);

/// Returns a line for each stale run, and one for the files that were or would be written.
std::string describe_written(const planner::WrittenPlan& written, const contract::PlanDir& out,
                             bool dry_run);

}  // namespace dlscale::workspace
