// SPDX-License-Identifier: Apache-2.0
// Reads the saved predictions of a plan folder, together with the measurements that they are
// compared with.
#pragma once

#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns one entry for each planned point with a saved prediction, in the plan's order. The
/// result is empty if the folder has no saved predictions. Throws base::RunError if the database
/// cannot be used.
std::vector<KeptPrediction> read_predictions(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
