// SPDX-License-Identifier: Apache-2.0
// Reads a study from its database into a Frame.
#pragma once

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns the study and its planned runs from the folder's database. Throws base::RunError when
/// the database does not exist or cannot be used.
Frame read_frame(const contract::PlanDir& folder, WarmUp warmup = WarmUp::Marked);

/// Returns the study with only the id and the outcome of each run, which is what a summary needs.
/// Throws base::RunError as read_frame does.
Frame read_outcomes(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
