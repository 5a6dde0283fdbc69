// SPDX-License-Identifier: Apache-2.0
// Which runs of a study count: a part of it, without changing what its runs are compared with, and
// without repeats that a policy leaves out.
#pragma once

#include <set>
#include <string>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

// Looking at a part of a study without changing what its runs are compared with.

/// Leaves out every run but these. Baselines stay those of all runs, by `rule` and by the frame's
/// own: a curve that has lost its baseline has none, instead of a larger one that would flatter it.
void keep_runs(Frame& frame, const std::set<std::string>& run_ids, contract::BaselineRule& rule);

// Repeats that a policy leaves out of every table and figure.

/// Judges the repeats of each point by their time per sample, in the order of their repetitions,
/// and takes those that `policy` leaves out from the frame, which tells of them in `outliers`. Runs
/// without a throughput stay, and so does at least one repeat of each point.
void leave_out_outliers(Frame& frame, OutlierPolicy policy);

}  // namespace dlscale::analysis
