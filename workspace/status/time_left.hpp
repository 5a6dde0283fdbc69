// SPDX-License-Identifier: Apache-2.0
// Estimates when the last run ends, from running and completed runs.
#pragma once

#include <optional>
#include <vector>

#include "workspace/runs/run_columns.hpp"

namespace dlscale::workspace {

/// Returns the seconds until the last run may end. It assumes that
/// - a run under way keeps its speed,
/// - a waiting run takes as long as other runs of its point, else its predicted time scaled by the
///   mean ratio of measured to predicted times, else the mean time of all runs,
/// - as many runs as now run at a time.
/// Returns nothing if no run is under way, if no run shows how long runs take, and if no run is
/// left. A prediction that no run has tested gives no time.
std::optional<double> time_left(const std::vector<ShownRun>& runs);

/// Returns the completed share of all work, 0 to 1. Ended runs count completely, unneeded runs not
/// at all.
double share_done(const std::vector<ShownRun>& runs);

}  // namespace dlscale::workspace
