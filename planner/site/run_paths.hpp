// SPDX-License-Identifier: Apache-2.0
// The paths that a run reads, and `$NAME` and `${NAME}` in them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::planner {

/// What a run reads beside its description.
struct RunPath {
  const char* key;     ///< of the study that says it: training.dataset.path
  const char* prefix;  ///< what its value there begins with
  std::string path;
};

/// Of its data, of the weights it begins with, of the script that is its model; of those it has.
std::vector<RunPath> paths_of(const contract::RunSpec& run);

/// Puts the variables a site knows in those paths.
void fill_in_paths(contract::RunSpec& run, const std::map<std::string, std::string>& variables);

/// Puts in the variables a site knows; others stay for the trainer, which takes them from the
/// job's environment.
std::string fill_in_variables(std::string_view path,
                              const std::map<std::string, std::string>& variables);

/// The names of the variables in a path, in order.
std::vector<std::string> variables_in(std::string_view path);

}  // namespace dlscale::planner
