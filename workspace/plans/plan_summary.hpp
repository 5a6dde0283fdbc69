// SPDX-License-Identifier: Apache-2.0
// Summarises a plan on one screen.
#pragma once

#include <iosfwd>
#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Prints the number of runs and of jobs by kind, the total GPU-hours and the GPU-hours by axis,
/// predicted times, skipped points with reasons, and warnings. A table has one row for each
/// distinct combination of GPUs, nodes, batches and peak learning rate.
void print_plan_summary(const contract::Plan& plan, std::ostream& out);

/// Returns a line for each stale run, and a line for the files that were written. With `dry_run`,
/// the last line states the files that would be written.
std::string describe_written(const planner::WrittenPlan& written, const contract::PlanDir& out,
                             bool dry_run);

}  // namespace dlscale::workspace
