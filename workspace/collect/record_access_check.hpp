// SPDX-License-Identifier: Apache-2.0
// Checks that all records of a plan folder can be read.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Checks plan.json, runs/ with all runs and launches, imported logs, tables of arrays, recorded
/// ends and predictions. Throws base::RunError for the first existing file that cannot be read,
/// with its path and the system's reason.
void require_readable_records(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
