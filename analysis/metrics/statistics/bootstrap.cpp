// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/metrics/statistics/distributions.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kLowerTail = 0.025;
constexpr double kErrorOfSum = 1e-12;  ///< of sums of probabilities

/// What the median of a resample may be, and how likely.
using MedianChances = std::vector<std::pair<double, double>>;

/// That the k-th smallest (from 1) of a resample is the i-th smallest value (from 0) of n.
double chance_of_rank(std::size_t n, std::size_t k, std::size_t i) {
  const auto at_most = [&](std::size_t values) {  // that k or more are among so many
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

/// The two middle ones of a resample are the i-th and a later j-th value where half of it is at
/// most the i-th, with the i-th among them, and the other half at least the j-th, likewise.
MedianChances chances_of_even(const std::vector<double>& values) {
  const std::size_t n = values.size();
  const auto half = static_cast<double>(n) / 2;
  const auto all_of = [&](std::size_t count) {
    return std::pow(static_cast<double>(count) / static_cast<double>(n), half);
  };
  double log_ways = 0;  // to choose which half of the resample is the lower one
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
