// SPDX-License-Identifier: Apache-2.0
// A misprinted GPU count: the digits of a power, in another order.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
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

/// The doubling of `first` with the digits of `count` that the series lacks; 0 if there is none.
double meant(const PublishedSeries& series, double first, double count) {
  for (double other = first; other <= 10 * count; other *= 2) {
    if (other != count && sorted_digits(other) == sorted_digits(count) &&
        at(series, other) == nullptr) {
      return other;
    }
  }
  return 0;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  std::set<int> told;
  for (const PublishedSeries& series : series_along(publication, "gpus")) {
    const double first = series.points.front().at;
    std::vector<SeriesPoint> odd;
    for (const SeriesPoint& point : series.points) {
      if (first > 0 && !is_doubling(point.at, first)) odd.push_back(point);
    }
    if (odd.size() != 1 || series.points.size() <= kFewestDoublings) continue;
    const double count = meant(series, first, odd[0].at);
    if (count == 0 || !told.insert(odd[0].value->place.line).second) continue;
    found.push_back(finding_of(
        {odd[0].value},
        fmt::format("All other counts of this series double from {:g}; {:g} does not, and has the "
                    "digits of {:g}, which is missing: a misprint.",
                    first, odd[0].at, count)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule odd_gpu_count_entry;
const ContradictionRule odd_gpu_count_entry{
    "odd_gpu_count", "a GPU count fits no doubling, but its digits do", &find};

}  // namespace dlscale::analysis
