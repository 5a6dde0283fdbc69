// SPDX-License-Identifier: Apache-2.0
// Checks that all records of a plan folder can be read.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Checks plan.json, all runs and launches in runs/, imported logs, the tables of job arrays, the
/// recorded ends of runs, and the predictions. Throws base::RunError for the first existing file
/// that cannot be read, with its path and the reason that the system reports.
void require_readable_records(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
