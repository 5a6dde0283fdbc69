// SPDX-License-Identifier: Apache-2.0
// A folder's kept predictions beside what its database says of the runs.
#pragma once

#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// One for each planned point with predictions, in the plan's order; none where the folder keeps
/// none. Throws base::RunError where the database cannot be used.
std::vector<KeptPrediction> read_predictions(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
