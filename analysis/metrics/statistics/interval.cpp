// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/interval.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/metrics/statistics/distributions.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kLevel = 0.95;
/// What the level of both medians in a ratio gives way where they are equally uncertain: two 95 %
/// intervals make one of up to 97.8 %, but of 95 % where one median is far better known.
constexpr double kLessInRatio = 0.04;

void require_sample(const std::vector<double>& values) {
  if (values.empty()) throw base::RunError("no values to summarise");
}

struct Ends {
  double low = 0;
  double high = 0;
};

Ends range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

/// How often the k-th smallest and the k-th largest of n values enclose the median, k from 1.
double coverage(std::size_t n, std::size_t k) {
  return 1 - 2 * coin_cdf(n, k - 1);
}

/// Between the order statistics that cover a little more than `level` and the next inner ones, by
/// Hettmansperger and Sheather's weight. Needs at least kFewestForInterval values, ascending.
Ends around_median(const std::vector<double>& values, double level) {
  const std::size_t n = values.size();
  std::size_t k = 1;
  while (coverage(n, k + 1) >= level) ++k;
  const double outer = coverage(n, k);
  const double inner = coverage(n, k + 1);
  const double share = (outer - level) / (outer - inner);
  const auto from_end = static_cast<double>(n - k);
  const double weight =
      from_end * share / (static_cast<double>(k) + (from_end - static_cast<double>(k)) * share);
  return {(1 - weight) * values[k - 1] + weight * values[k],
          (1 - weight) * values[n - k] + weight * values[n - k - 1]};
}

/// The level of both intervals that a ratio of these, ascending logarithms, is made of.
double level_in_ratio(const std::vector<double>& above, const std::vector<double>& below) {
  const auto width = [](const Ends& ends) { return ends.high - ends.low; };
  const double a = width(around_median(above, kLevel));
  const double b = width(around_median(below, kLevel));
  return a + b > 0 ? kLevel - kLessInRatio * 2 * std::min(a, b) / (a + b) : kLevel;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

Interval interval_of_median(const std::vector<double>& values) {
  require_sample(values);
  if (values.size() < 2) return {};
  const bool few = values.size() < kFewestForInterval;
  const Ends ends = few ? range_of(values) : around_median(sorted(values), kLevel);
  return {few ? Interval::Kind::Range : Interval::Kind::Confidence95, ends.low, ends.high};
}

Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators) {
  require_sample(numerators);
  require_sample(denominators);
  if (numerators.size() < 2 && denominators.size() < 2) return {};
  if (std::min(numerators.size(), denominators.size()) < kFewestForInterval) {
    const Ends above = range_of(numerators);
    const Ends below = range_of(denominators);
    return {Interval::Kind::Range, above.low / below.high, above.high / below.low};
  }
  const std::vector<double> logs_above = sorted(logs_of(numerators));
  const std::vector<double> logs_below = sorted(logs_of(denominators));
  const double level = level_in_ratio(logs_above, logs_below);
  const Ends of_above = around_median(logs_above, level);
  const Ends of_below = around_median(logs_below, level);
  const double above = std::log(median(numerators));
  const double below = std::log(median(denominators));
  const double down = std::hypot(above - of_above.low, of_below.high - below);
  const double up = std::hypot(of_above.high - above, below - of_below.low);
  return {Interval::Kind::Confidence95, std::exp(above - below - down),
          std::exp(above - below + up)};
}

}  // namespace dlscale::analysis
