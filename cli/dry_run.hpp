// SPDX-License-Identifier: Apache-2.0
// The commands that would submit jobs, without submitting any.
#pragma once

#include <set>
#include <string>

#include "cli/launching.hpp"

namespace dlscale::cli {

/// Prints a line of shell for each job that holds some of `runs`. A fresh token stands where each
/// submission gets one, the name of a job in angle brackets where the id of that one would be.
void print_commands(const LaunchFolder& place, const std::set<std::string>& runs);

}  // namespace dlscale::cli
