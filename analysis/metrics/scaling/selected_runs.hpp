// SPDX-License-Identifier: Apache-2.0
// Removes runs from a study: either all runs that the user did not select, or outlying repeats. The
// baselines stay the same when unselected runs are removed.
#pragma once

#include <set>
#include <string>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

// Removal of all runs that the user did not select, without changing the baselines.

/// Removes all runs whose id is not in `run_ids`. The baselines keep the GPU counts that they have
/// with all runs: this function first fixes `rule` and the baseline rule of the frame to these
/// counts. A curve whose baseline was removed has no baseline, because a baseline with more GPUs
/// would make the curve look better.
void keep_runs(Frame& frame, const std::set<std::string>& run_ids, contract::BaselineRule& rule);

// Removal of outlying repeats from every table and figure.

/// Removes the outlying repeats that `policy` selects and describes them in `frame.outliers`. The
/// policy is applied to each point, to the times per sample of its repeats in the order of their
/// repetition numbers. At least one repeat of each point stays. Runs without a throughput stay,
/// too.
void leave_out_outliers(Frame& frame, OutlierPolicy policy);

}  // namespace dlscale::analysis
