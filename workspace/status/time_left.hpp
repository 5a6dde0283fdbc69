// SPDX-License-Identifier: Apache-2.0
// Estimates when the last run ends, from running and completed runs.
#pragma once

#include <optional>
#include <vector>

#include "workspace/runs/run_columns.hpp"

namespace dlscale::workspace {

/// Returns the expected seconds until the last run ends. The estimate makes these assumptions:
/// - A running run keeps its speed.
/// - A waiting run takes the mean time of the other runs of its point. If there are none, it takes
///   its predicted time, multiplied by the mean ratio of measured to predicted times. If the run
///   has no prediction, or no predicted run was measured, it takes the mean time of all runs.
/// - The number of runs that run at the same time stays as it is now.
/// Returns nothing if no run is running, or if no completed or running run shows how long runs
/// take. Predictions alone are not enough, because no run has tested them.
std::optional<double> time_left(const std::vector<ShownRun>& runs);

/// Returns the completed share of the work of all runs, 0 to 1. Ended runs count as complete.
/// Repetitions that are not needed do not count.
double share_done(const std::vector<ShownRun>& runs);

/// Returns true if all runs have ended.
bool all_ended(const std::vector<ShownRun>& runs);

}  // namespace dlscale::workspace
