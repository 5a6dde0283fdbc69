// SPDX-License-Identifier: Apache-2.0
// Rules about misprinted, missing and copied points of a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {

// Rule: the GPU counts of a table contain no misprints. A count is probably a misprint if its
// digits in another order give the missing count of a series in which all other counts are doubled.

namespace {

constexpr std::size_t kFewestDoublings = 4;

bool is_doubling(double count, double first) {
  const double times = std::log2(count / first);
  return std::abs(times - std::round(times)) < 1e-9;
}

std::string sorted_digits(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  std::sort(digits.begin(), digits.end());
  return digits;
}

/// Returns the GPU count that was probably meant: `first` doubled several times, with the digits of
/// `count` in another order, and missing in the series. Returns 0 if there is no such count.
double meant(const PublishedSeries& series, double first, double count) {
  for (double other = first; other <= 10 * count; other *= 2) {
    if (other != count && sorted_digits(other) == sorted_digits(count) &&
        at(series, other) == nullptr) {
      return other;
    }
  }
  return 0;
}

std::vector<Finding> find_odd_gpu_count(const Publication& publication) {
  std::vector<Finding> found;
  std::set<int> reported;
  for (const PublishedSeries& series : series_along(publication, "gpus")) {
    const double first = series.points.front().at;
    std::vector<SeriesPoint> odd;
    for (const SeriesPoint& point : series.points) {
      if (first > 0 && !is_doubling(point.at, first)) odd.push_back(point);
    }
    if (odd.size() != 1 || series.points.size() <= kFewestDoublings) continue;
    const double count = meant(series, first, odd[0].at);
    if (count == 0 || !reported.insert(odd[0].value->place.line).second) continue;
    found.push_back(finding_of(
        {odd[0].value},
        fmt::format(
            "All other counts of this series result from doubling {:g}. The count {:g} does not. "
            "It has the digits of the missing count {:g} and is probably a misprint.",
            first, odd[0].at, count)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule odd_gpu_count_entry;
const ContradictionRule odd_gpu_count_entry{
    "odd_gpu_count", "a GPU count is probably a misprint of a missing count", &find_odd_gpu_count};

// Rule: a table has the points that the text names.

namespace {

using Point = std::map<std::string, std::string>;

/// Returns all combinations of one word from each list, except the list that names the table.
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

std::vector<Finding> find_missing_points(const Publication& publication) {
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
    found.push_back(
        finding_at({table->second[0], 1, 1}, missing,
                   "According to the text these points were measured, but they have no row."));
  }
  return found;
}

}  // namespace

extern const ContradictionRule missing_points_entry;
const ContradictionRule missing_points_entry{
    "missing_points", "a point that was measured has no row", &find_missing_points};

// Rule: the measurements of two different points are not equal in all digits.

namespace {

/// Smallest number of digits to compare. Shorter values can be equal by chance.
constexpr int kFewestDigits = 3;
constexpr std::size_t kFewestEqual = 2;

using Row = std::vector<const Published*>;

/// Returns the printed measurements, grouped by the rows of their tables.
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

/// Returns true if the value is a time or a rate. A time and the rates derived from it count as one
/// measurement.
bool is_speed(const Published& value) {
  return is_whole_time(value) || is_rate(value) || is_gpu_rate(value);
}

/// Returns the values that are equal in two rows. Returns nothing if fewer than two measurements
/// are equal.
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

std::vector<Finding> find_repeated_values(const Publication& publication) {
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
    "repeated_values", "two different points have the same measured values", &find_repeated_values};

}  // namespace dlscale::analysis
