// SPDX-License-Identifier: Apache-2.0
// Whether all that a plan folder's numbers are computed from can be read.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Looks at plan.json, runs/ with every run and launch in it, the logs that were taken over, the
/// tables of arrays, noted ends and predictions. Throws base::RunError for the first that is there
/// and cannot be read, with its path and the system's reason.
void require_readable_records(const contract::PlanDir& folder);

}  // namespace dlscale::workspace
