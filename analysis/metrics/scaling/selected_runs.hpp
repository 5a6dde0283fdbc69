// SPDX-License-Identifier: Apache-2.0
// Looking at a part of a study without changing what its runs are compared with.
#pragma once

#include <set>
#include <string>

#include "analysis/frame.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// Leaves out every run but these. Baselines stay those of all runs, by `rule` and by the frame's
/// own: a curve that has lost its baseline has none, instead of a larger one that would flatter it.
void keep_runs(Frame& frame, const std::set<std::string>& run_ids, contract::BaselineRule& rule);

}  // namespace dlscale::analysis
