// SPDX-License-Identifier: Apache-2.0
// When the last run may end, from those that run and those that are done.
#pragma once

#include <optional>
#include <vector>

#include "cli/run_columns.hpp"

namespace dlscale::cli {

/// Seconds. A run under way goes on at the speed it has had; one that waits takes as long as others
/// of its point, else as predicted by the plan times how well that has held where runs have shown
/// it, else as long as the mean; as many as run now go on running at a time. Empty when nothing
/// runs, when nothing is known of how long runs take, and when nothing is left.
std::optional<double> time_left(const std::vector<ShownRun>& runs);

/// The part of all work that is done, 0 to 1: runs that have ended count whole, those that
/// are not needed not at all.
double share_done(const std::vector<ShownRun>& runs);

}  // namespace dlscale::cli
