// SPDX-License-Identifier: Apache-2.0
// Measurements of two points do not agree in every digit.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

/// Values of fewer digits are equal by chance.
constexpr int kFewestDigits = 3;
constexpr std::size_t kFewestEqual = 2;

using Row = std::vector<const Published*>;

/// Printed measurements, row by row of their tables.
std::vector<Row> rows_of(const Publication& publication) {
  std::map<std::pair<std::string, int>, Row> rows;
  for (const Published& value : publication.values) {
    const bool derived = value.quantity == "speedup" || value.quantity == "efficiency";
    const bool measured = value.number && value.kind == 'R' && value.relation == "=" && !derived;
    if (!measured || significant_digits(value.text) < kFewestDigits) continue;
    rows[{value.place.file, value.place.line}].push_back(&value);
  }
  std::vector<Row> all;
  for (auto& [place, row] : rows) {
    if (row.size() >= kFewestEqual) all.push_back(std::move(row));
  }
  return all;
}

/// A time and the rates that follow from it are one measurement.
bool is_speed(const Published& value) {
  return is_whole_time(value) || is_rate(value) || is_gpu_rate(value);
}

/// The values that two rows share; none where they share less than two measurements.
Evidence equal_values(const Row& a, const Row& b) {
  Evidence equal;
  std::size_t measurements = 0;
  bool has_speed = false;
  for (const Published* one : a) {
    for (const Published* other : b) {
      if (one->quantity == other->quantity && one->statistic == other->statistic &&
          one->text == other->text && one->axes != other->axes) {
        equal.push_back(one);
        equal.push_back(other);
        if (!is_speed(*one) || !has_speed) ++measurements;
        has_speed = has_speed || is_speed(*one);
      }
    }
  }
  return measurements < kFewestEqual ? Evidence{} : equal;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  const std::vector<Row> rows = rows_of(publication);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const Evidence equal = equal_values(rows[i], rows[j]);
      if (equal.empty()) continue;
      found.push_back(finding_of(
          equal, fmt::format("{} measured values of two different points agree in every digit: "
                             "one row is likely a copy of the other.",
                             equal.size() / 2)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule repeated_values_entry;
const ContradictionRule repeated_values_entry{
    "repeated_values", "two different points have the same measured values", &find};

}  // namespace dlscale::analysis
