// SPDX-License-Identifier: Apache-2.0
// A table has the points that the text says were measured.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

using Point = std::map<std::string, std::string>;

/// All combinations of the lists.
std::vector<Point> product(const std::map<std::string, Words>& lists) {
  std::vector<Point> points{{}};
  for (const auto& [axis, words] : lists) {
    if (axis == "table") continue;
    std::vector<Point> longer;
    for (const Point& point : points) {
      for (const std::string& word : words) {
        longer.push_back(point);
        longer.back()[axis] = word;
      }
    }
    points = std::move(longer);
  }
  return points;
}

bool has(const Publication& publication, const std::string& table, const Point& point) {
  return std::any_of(
      publication.values.begin(), publication.values.end(), [&](const Published& value) {
        return std::filesystem::path(value.place.file).filename() == table &&
               std::all_of(point.begin(), point.end(), [&](const auto& cell) {
                 return comparable(value.axis(cell.first)) == comparable(cell.second);
               });
      });
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const auto& lists : publication.measured) {
    const auto table = lists.find("table");
    if (table == lists.end() || table->second.size() != 1) continue;
    std::string missing;
    for (const Point& point : product(lists)) {
      if (has(publication, table->second[0], point)) continue;
      missing += (missing.empty() ? "" : "; ") + in_words(point);
    }
    if (missing.empty()) continue;
    found.push_back(finding_at({table->second[0], 1, 1}, missing,
                               "These points were measured by the text, but have no row."));
  }
  return found;
}

}  // namespace

extern const ContradictionRule missing_points_entry;
const ContradictionRule missing_points_entry{"missing_points",
                                             "a point that was measured has no row", &find};

}  // namespace dlscale::analysis
