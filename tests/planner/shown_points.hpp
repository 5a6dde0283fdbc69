// SPDX-License-Identifier: Apache-2.0
// Formats the points of a study as lines of text.
#pragma once

#include <string>
#include <vector>

#include "planner/study/expand.hpp"

namespace dlscale::test {

/// Returns the values of the axes at each point, with `-` for an axis that the point does not have.
inline std::vector<std::string> shown(const planner::Expansion& expansion,
                                      const std::vector<std::string>& axes) {
  std::vector<std::string> lines;
  for (const auto& point : expansion.points) {
    std::string line;
    for (const auto& axis : axes) {
      const auto found = point.run.point.find(axis);
      line += (line.empty() ? "" : " ") + (found == point.run.point.end() ? "-" : found->second);
    }
    lines.push_back(line);
  }
  return lines;
}

inline std::vector<std::string> shown(const planner::Study& study,
                                      const std::vector<std::string>& axes) {
  return shown(planner::expand(study), axes);
}

}  // namespace dlscale::test
