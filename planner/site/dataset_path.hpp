// SPDX-License-Identifier: Apache-2.0
// `$NAME` and `${NAME}` in the path of a data set.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::planner {

/// Puts in the variables a site knows; others stay for the trainer, which takes them from the
/// job's environment.
std::string fill_in_variables(std::string_view path,
                              const std::map<std::string, std::string>& variables);

/// The names of the variables in a path, in order.
std::vector<std::string> variables_in(std::string_view path);

}  // namespace dlscale::planner
