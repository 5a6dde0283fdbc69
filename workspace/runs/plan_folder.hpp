// SPDX-License-Identifier: Apache-2.0
// The plan folder that a verb is about: how its runs are read and how it is made.
#pragma once

#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/planner.hpp"

namespace dlscale::workspace {

/// The run's complete description: its run.json, or its line in the table of an array whose task
/// has not started yet. Throws base::Error when it can be read nowhere.
contract::RunSpec read_run(const contract::PlanDir& folder, contract::RunTables& tables,
                           const std::string& run_id);

/// Throws base::UsageError when the folder, or where it is to be made, is no folder that may be
/// written.
void require_writable(const contract::PlanDir& folder);

/// Writes the folder, or with `dry_run` looks at what would be written, and marks the runs of the
/// plan that are stale. Throws what write_plan throws, and base::UsageError for a folder that
/// cannot be made or may not be written.
planner::WrittenPlan write_planned(planner::Planning& planning, const planner::Resources& resources,
                                   const contract::PlanDir& out, bool dry_run);

/// Makes the folder itself. Throws base::UsageError.
void make_folder(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
