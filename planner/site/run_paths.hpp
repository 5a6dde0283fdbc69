// SPDX-License-Identifier: Apache-2.0
// Lists the paths that a run reads and replaces `$NAME` and `${NAME}` in these paths.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::planner {

/// Path that a run reads in addition to its description.
struct RunPath {
  const char* key;     ///< key in the study, such as training.dataset.path
  const char* prefix;  ///< text before the path in the study's value, such as "script:"
  std::string path;
};

/// Returns the non-empty paths of a run: its data, its initial weights, and the script of its
/// model.
std::vector<RunPath> paths_of(const contract::RunSpec& run);

/// Replaces variables in the paths of a run by the values that the site defines (`variables`).
void fill_in_paths(contract::RunSpec& run, const std::map<std::string, std::string>& variables);

/// Returns the path with variables replaced by the values that the site defines (`variables`).
/// Other variables stay in the path. The trainer replaces them by values from the job's
/// environment.
std::string fill_in_variables(std::string_view path,
                              const std::map<std::string, std::string>& variables);

/// Returns the names of the variables in a path, in the order of their use.
std::vector<std::string> variables_in(std::string_view path);

}  // namespace dlscale::planner
