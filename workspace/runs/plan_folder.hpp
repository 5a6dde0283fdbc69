// SPDX-License-Identifier: Apache-2.0
// Reads the runs of a plan folder, and creates and writes plan folders.
#pragma once

#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Returns the complete description of a run: its run.json, or its line in the table of an array
/// whose task has not started yet. Throws base::Error if neither can be read.
contract::RunSpec read_run(const contract::PlanDir& folder, contract::RunTables& tables,
                           const std::string& run_id);

/// Throws base::UsageError if the folder, or the parent of a new folder, is not a writable folder.
void require_writable(const contract::PlanDir& folder);

/// Writes the folder, or determines with `dry_run` what would be written, and marks stale runs of
/// the plan. Throws what write_plan throws, and base::UsageError for a folder that cannot be
/// created or written.
planner::WrittenPlan write_planned(planner::Planning& planning, const planner::Resources& resources,
                                   const contract::PlanDir& out, bool dry_run);

/// Creates the folder. Throws base::UsageError.
void make_folder(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
