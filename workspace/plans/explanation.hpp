// SPDX-License-Identifier: Apache-2.0
// Shows how the values of each point are computed, for `dlscale plan --explain`.
#pragma once

#include <iosfwd>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Prints a row for each point with a run id that matches the glob or starts with it, with the
/// values that differ between points, and the common values above the rows. Throws base::Error with
/// kExitNothingMatched if no point matches.
void print_explanation(const planner::Planning& planning, const std::string& glob,
                       std::ostream& out);

}  // namespace dlscale::workspace
