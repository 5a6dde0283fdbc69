// SPDX-License-Identifier: Apache-2.0
// Parts of a whole are at most the whole.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "analysis/compare/contradiction.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  std::map<std::pair<std::string, int>, Evidence> rows;
  for (const Published& value : publication.values) {
    if (value.unit == "%" && value.number && value.relation == "=") {
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
