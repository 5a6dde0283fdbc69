// SPDX-License-Identifier: Apache-2.0
// `dlscale plan --explain`: what the study's arithmetic comes to for each point.
#pragma once

#include <iosfwd>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// A row for each point one of whose run ids matches the glob (or begins with it), with what
/// differs between them; above it what they share. Throws base::Error with kExitNothingMatched
/// where none does.
void print_explanation(const planner::Planning& planning, const std::string& glob,
                       std::ostream& out);

}  // namespace dlscale::workspace
