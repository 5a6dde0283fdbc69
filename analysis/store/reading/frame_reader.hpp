// SPDX-License-Identifier: Apache-2.0
// Reads a study from its database into a Frame.
#pragma once

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns the study with all of its planned runs from the database of the plan folder. `warmup`
/// selects the step windows that are left out as warm-up. Throws base::RunError if the database
/// does not exist or cannot be used.
Frame read_frame(const contract::PlanDir& folder, WarmUp warmup = WarmUp::Marked);

/// Returns the study with only the id, the outcome and `has_records` of each planned run. This is
/// faster than read_frame and enough for a summary. Throws base::RunError if the database does not
/// exist or cannot be used.
Frame read_outcomes(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
