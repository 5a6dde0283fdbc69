// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/interval.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/metrics/statistics/summary.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {

double coin_cdf(std::size_t n, std::size_t k) {
  const boost::math::binomial coins(static_cast<double>(n), 0.5);
  return boost::math::cdf(coins, static_cast<double>(k));
}

double binomial_cdf(std::size_t n, double p, std::size_t k) {
  const boost::math::binomial trials(static_cast<double>(n), p);
  return boost::math::cdf(trials, static_cast<double>(k));
}

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), p);
}

double student_t_quantile(double p, double degrees_of_freedom) {
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), p);
}

double normal_two_sided_p(double z) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(z)));
}

double chi_squared_upper_p(double x, double degrees_of_freedom) {
  const boost::math::chi_squared distribution(degrees_of_freedom);
  return boost::math::cdf(boost::math::complement(distribution, x));
}

namespace {

constexpr double kLevel = 0.95;
/// Amount by which the level of the two medians' intervals is reduced for the interval of their
/// ratio, if both medians are equally uncertain. Without the reduction, two 95 % intervals would
/// combine to an interval of up to 97.8 %. No reduction is needed if one median is known far more
/// precisely than the other.
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

/// Returns the probability that the k-th smallest and the k-th largest of n values enclose the
/// median, with k from 1.
double coverage(std::size_t n, std::size_t k) {
  return 1 - 2 * coin_cdf(n, k - 1);
}

/// Returns the interval of the median at this level, by Hettmansperger and Sheather's method: it
/// interpolates between the narrowest pair of order statistics that covers at least `level` and the
/// next pair inside it. `values` must ascend and have at least kFewestForInterval entries.
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

/// Returns the level of the two medians' intervals from which the interval of their difference is
/// computed. Both samples must ascend.
double level_in_difference(const std::vector<double>& above, const std::vector<double>& below) {
  const auto width = [](const Ends& ends) { return ends.high - ends.low; };
  const double a = width(around_median(above, kLevel));
  const double b = width(around_median(below, kLevel));
  return a + b > 0 ? kLevel - kLessInRatio * 2 * std::min(a, b) / (a + b) : kLevel;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Returns the interval of the difference between two medians (MOVER). The samples must ascend and
/// have at least kFewestForInterval values. The last two arguments are their medians.
Ends around_difference(const std::vector<double>& above, const std::vector<double>& below,
                       double center_above, double center_below) {
  const double level = level_in_difference(above, below);
  const Ends of_above = around_median(above, level);
  const Ends of_below = around_median(below, level);
  const double down = std::hypot(center_above - of_above.low, of_below.high - center_below);
  const double up = std::hypot(of_above.high - center_above, center_below - of_below.low);
  return {center_above - center_below - down, center_above - center_below + up};
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
  const Ends logs = around_difference(sorted(logs_of(numerators)), sorted(logs_of(denominators)),
                                      std::log(median(numerators)), std::log(median(denominators)));
  return {Interval::Kind::Confidence95, std::exp(logs.low), std::exp(logs.high)};
}

Interval interval_of_difference(const std::vector<double>& minuends,
                                const std::vector<double>& subtrahends) {
  require_sample(minuends);
  require_sample(subtrahends);
  if (minuends.size() < 2 && subtrahends.size() < 2) return {};
  if (std::min(minuends.size(), subtrahends.size()) < kFewestForInterval) {
    const Ends above = range_of(minuends);
    const Ends below = range_of(subtrahends);
    return {Interval::Kind::Range, above.low - below.high, above.high - below.low};
  }
  const Ends ends = around_difference(sorted(minuends), sorted(subtrahends), median(minuends),
                                      median(subtrahends));
  return {Interval::Kind::Confidence95, ends.low, ends.high};
}

namespace {

constexpr double kLowerTail = 0.025;
constexpr double kErrorOfSum = 1e-12;  ///< tolerance for sums of probabilities

/// Possible medians of a resample with their probabilities.
using MedianChances = std::vector<std::pair<double, double>>;

/// Returns the probability that the k-th smallest value of a resample of n values is the i-th
/// smallest of these n values. k counts from 1 and i from 0.
double chance_of_rank(std::size_t n, std::size_t k, std::size_t i) {
  // Probability that at least k values of the resample are among the `values` smallest values of
  // the list.
  const auto at_most = [&](std::size_t values) {
    return 1 - binomial_cdf(n, static_cast<double>(values) / static_cast<double>(n), k - 1);
  };
  return at_most(i + 1) - at_most(i);
}

MedianChances chances_of_odd(const std::vector<double>& values) {
  MedianChances chances;
  const std::size_t n = values.size();
  for (std::size_t i = 0; i < n; ++i) {
    chances.emplace_back(values[i], chance_of_rank(n, (n + 1) / 2, i));
  }
  return chances;
}

/// Returns the possible medians of a resample of even size, with their probabilities. The two
/// middle values of the resample are the i-th and the j-th of the `values`, with i < j, under two
/// conditions. First, half of the resample is at most the i-th value and contains that value.
/// Second, the other half is at least the j-th value and contains that value.
MedianChances chances_of_even(const std::vector<double>& values) {
  const std::size_t n = values.size();
  const auto half = static_cast<double>(n) / 2;
  const auto all_of = [&](std::size_t count) {
    return std::pow(static_cast<double>(count) / static_cast<double>(n), half);
  };
  double log_ways = 0;  // logarithm of the number of ways to choose the draws of the lower half
  for (double k = 1; k <= half; ++k) log_ways += std::log((half + k) / k);
  MedianChances chances;
  for (std::size_t i = 0; i < n; ++i) {
    double rest = chance_of_rank(n, n / 2, i);
    const double log_low = log_ways + std::log(all_of(i + 1) - all_of(i));
    for (std::size_t j = i + 1; j < n; ++j) {
      const double chance = std::exp(log_low + std::log(all_of(n - j) - all_of(n - j - 1)));
      chances.emplace_back((values[i] + values[j]) / 2, chance);
      rest -= chance;
    }
    chances.emplace_back(values[i], std::max(rest, 0.0));
  }
  return chances;
}

double quantile_of_chances(const MedianChances& ascending, double q) {
  double sum = 0;
  for (const auto& [value, chance] : ascending) {
    sum += chance;
    if (sum >= q - kErrorOfSum) return value;
  }
  return ascending.back().first;
}

}  // namespace

Interval bootstrap_interval_of_median(const std::vector<double>& values) {
  if (values.size() < kFewestForInterval) return {};
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  MedianChances chances = sorted.size() % 2 == 1 ? chances_of_odd(sorted) : chances_of_even(sorted);
  std::sort(chances.begin(), chances.end());
  return {Interval::Kind::Confidence95, quantile_of_chances(chances, kLowerTail),
          quantile_of_chances(chances, 1 - kLowerTail)};
}

}  // namespace dlscale::analysis
