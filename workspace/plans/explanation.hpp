// SPDX-License-Identifier: Apache-2.0
// Shows how the values of each point are computed, for `dlscale plan --explain`.
#pragma once

#include <iosfwd>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Prints the points that have a run whose id matches the glob or starts with it. Values that all
/// points have in common are printed first. Then each point has a row with its other values. Throws
/// base::Error with kExitNothingMatched if no point matches.
void print_explanation(const planner::Planning& planning, const std::string& glob,
                       std::ostream& out);

}  // namespace dlscale::workspace
