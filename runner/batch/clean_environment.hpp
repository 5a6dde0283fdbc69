// SPDX-License-Identifier: Apache-2.0
// Computes the environment of processes that dlscale starts. Variables of an outer job, an outer
// launcher or the user's shell that would change these processes are removed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::runner {

using Environment = std::map<std::string, std::string>;

struct CleanEnvironment {
  Environment variables;
  std::vector<std::string> removed;  ///< names of the removed variables, sorted
};

/// Returns the environment variables that this program was started with.
Environment own_environment();

/// Removes the variables that base/inherited_variables.hpp names for `scheduler` (local, slurm,
/// oar). `kept` are the names of variables that the site keeps nevertheless.
CleanEnvironment clean_environment(const Environment& environment, std::string_view scheduler,
                                   const std::vector<std::string>& kept);

}  // namespace dlscale::runner
