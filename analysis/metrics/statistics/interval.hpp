// SPDX-License-Identifier: Apache-2.0
// How far medians of repeats and ratios of them can be trusted. Pure and deterministic: the
// bootstrap takes all resamples there are instead of some that are drawn.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Private to analysis/metrics/statistics and analysis/metrics/laws: distributions that tests and
// intervals rest on.

/// P(X <= k) of n fair coins.
double coin_cdf(std::size_t n, std::size_t k);
/// P(X <= k) of n trials that succeed with probability p.
double binomial_cdf(std::size_t n, double p, std::size_t k);
double normal_quantile(double p);
double student_t_quantile(double p, double degrees_of_freedom);
/// P(|Z| >= |z|).
double normal_two_sided_p(double z);
/// P(X >= x).
double chi_squared_upper_p(double x, double degrees_of_freedom);

// How far medians of repeats and ratios of them can be trusted. Pure and deterministic;
// docs/statistics.md has the methods and how often they were right.

/// Fewer repeats than this give no 95 % interval of a median: even their whole range covers less
/// (n = 5: 93.8 %, n = 6: 96.9 %; Hoefler and Belli, SC'15, rules 5 and 6).
inline constexpr std::size_t kFewestForInterval = 6;

struct Interval {
  enum class Kind {
    None,          ///< one value: nothing is known about the spread
    Range,         ///< smallest to largest, no interval: no statement of probability
    Confidence95,  ///< covers the true value 95 times of 100
  };
  Kind kind = Kind::None;
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// A summary of `n` repeats.
struct Estimate {
  double value = 0;
  Interval interval;
  std::size_t n = 0;
};

/// The smallest and largest number of repeats among the points of a table or figure.
struct Repeats {
  std::size_t fewest = 0;
  std::size_t most = 0;
  void add(std::size_t n) {
    fewest = fewest == 0 || n < fewest ? n : fewest;
    most = n > most ? n : most;
  }
};

/// Of the median: nothing for one value, the range below kFewestForInterval, else order statistics
/// interpolated to 95 % (Hettmansperger and Sheather, 1986). It assumes no distribution.
Interval interval_of_median(const std::vector<double>& values);

/// Of median(numerators) / median(denominators), all positive and independent of each other, from
/// the intervals of both medians (MOVER on logarithms: Donner and Zou, 2012). The kind is that of
/// the shorter list.
Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators);

// The percentile bootstrap of a median, of all resamples there are instead of some that are drawn.

/// From the smallest median of resamples (as many values, with replacement) that at least 2.5 % of
/// them do not exceed, to that of 97.5 % (Efron, 1979): how others often give an interval of a
/// median. It covers less than it says (docs/statistics.md), so that nothing is decided by it.
/// Nothing below kFewestForInterval values.
Interval bootstrap_interval_of_median(const std::vector<double>& values);

}  // namespace dlscale::analysis
