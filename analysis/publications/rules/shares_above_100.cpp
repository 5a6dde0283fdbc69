// SPDX-License-Identifier: Apache-2.0
// Parts of a whole are at most the whole.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

/// Percentages of wholes of their own, which a row may have several of.
bool is_share(const std::string& quantity) {
  constexpr std::array<std::string_view, 12> kOthers{
      "efficiency", "accuracy", "utili", "occupancy", "mfu",     "hfu",
      "speedup",    "top1",     "top5",  "error",     "overlap", "variation"};
  return std::none_of(kOthers.begin(), kOthers.end(), [&](std::string_view word) {
    return comparable(quantity).find(word) != std::string::npos;
  });
}

std::vector<Finding> find(const Publication& publication) {
  std::map<std::pair<std::string, int>, Evidence> rows;
  for (const Published& value : publication.values) {
    if (value.unit == "%" && value.number && value.relation == "=" && is_share(value.quantity)) {
      rows[{value.place.file, value.place.line}].push_back(&value);
    }
  }
  std::vector<Finding> found;
  for (const auto& [place, row] : rows) {
    double least = 0, sum = 0;
    for (const Published* value : row) {
      least += value->number->low;
      sum += value->number->value;
    }
    if (row.size() < 2 || least <= 1) continue;
    found.push_back(finding_of(
        row, fmt::format("The shares add up to {:.2f} %, more than the whole.", 100 * sum)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule shares_above_100_entry;
const ContradictionRule shares_above_100_entry{
    "shares_above_100", "the shares of a row add up to more than 100 %", &find};

}  // namespace dlscale::analysis
