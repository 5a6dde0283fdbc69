// SPDX-License-Identifier: Apache-2.0
// The free parameters of a study beside the names that scripts and commands know already.
#pragma once

#include <string>
#include <vector>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Throws base::SpecError at a parameter whose name a script or command has for something else.
void check_parameters(const Study& study);

/// A line for each axis that is a parameter the external trainer's command does not name: its runs
/// would all be the same.
std::vector<std::string> unused_parameters(const Study& study);

}  // namespace dlscale::planner
