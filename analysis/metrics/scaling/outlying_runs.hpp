// SPDX-License-Identifier: Apache-2.0
// Repeats that a policy leaves out of every table and figure.
#pragma once

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/outliers.hpp"

namespace dlscale::analysis {

/// Judges the repeats of each point by their time per sample, in the order of their repetitions,
/// and takes those that `policy` leaves out from the frame, which tells of them in `outliers`. Runs
/// without a throughput stay, and so does at least one repeat of each point.
void leave_out_outliers(Frame& frame, OutlierPolicy policy);

}  // namespace dlscale::analysis
