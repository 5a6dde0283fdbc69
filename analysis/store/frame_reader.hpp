// SPDX-License-Identifier: Apache-2.0
// The database as a Frame.
#pragma once

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// The study and the runs its plan has, from the folder's database. Throws base::RunError when
/// there is none or it cannot be used.
Frame read_frame(const contract::PlanDir& folder, WarmUp warmup = WarmUp::Marked);

/// The same, but of each run its id and how it ended: what a summary needs.
Frame read_outcomes(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
