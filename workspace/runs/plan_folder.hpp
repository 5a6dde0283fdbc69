// SPDX-License-Identifier: Apache-2.0
// Reads the runs of a plan folder, and creates and writes plan folders.
#pragma once

#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Returns the complete description of a run. It is in run.json, or in a table line if the run
/// belongs to an array and its task has not started yet. Throws base::Error if neither can be read.
contract::RunSpec read_run(const contract::PlanDir& folder, contract::RunTables& tables,
                           const std::string& run_id);

/// Throws base::UsageError if files cannot be written in the folder. For a folder that does not
/// exist, checks the nearest existing parent.
void require_writable(const contract::PlanDir& folder);

/// Writes the plan folder and marks stale runs in the plan. With `dry_run`, only determines what
/// would be written. Throws what write_plan throws. Throws base::UsageError for
/// a folder that cannot be created or written.
planner::WrittenPlan write_planned(planner::Planning& planning, const planner::Resources& resources,
                                   const contract::PlanDir& out, bool dry_run);

/// Creates the folder. Throws base::UsageError if the folder cannot be created.
void make_folder(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
