// SPDX-License-Identifier: Apache-2.0
// Restricts a study to a part of its runs without changing their baselines, and leaves out outlying
// repeats.
#pragma once

#include <set>
#include <string>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

// Restriction of a study to a part of its runs that does not change their baselines.

/// Removes all runs except these. Baselines stay those of all runs, for `rule` and for the frame's
/// own rule. A curve that has lost its baseline has none, because a larger baseline would flatter
/// the curve.
void keep_runs(Frame& frame, const std::set<std::string>& run_ids, contract::BaselineRule& rule);

// Repeats that a policy leaves out of every table and figure.

/// Removes the repeats that `policy` leaves out and describes them in `frame.outliers`. The repeats
/// of each point are judged by their time per sample, in the order of their repetitions. Runs
/// without a throughput stay, and so does at least one repeat of each point.
void leave_out_outliers(Frame& frame, OutlierPolicy policy);

}  // namespace dlscale::analysis
