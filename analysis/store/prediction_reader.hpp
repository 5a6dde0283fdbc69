// SPDX-License-Identifier: Apache-2.0
// Reads a folder's saved predictions together with the measurements of the runs in its database.
#pragma once

#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns one entry for each planned point with predictions, in the plan's order. The result is
/// empty if the folder has no saved predictions. Throws base::RunError when the database cannot be
/// used.
std::vector<KeptPrediction> read_predictions(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
