// SPDX-License-Identifier: Apache-2.0
// Computes intervals for medians of repeats and for ratios of medians.
//
// A point of a study has few repeats, and their distribution is unknown. The intervals are
// therefore interpolated between order statistics, which needs no assumption about the
// distribution. With too few repeats for a 95 % interval, the result is the range from the smallest
// to the largest value, which has no stated probability. The percentile bootstrap of a median
// contains the true median less often than its nominal 95 % (docs/statistics.md). Reports show the
// bootstrap interval, but no decision depends on it. All functions are pure and deterministic. The
// bootstrap evaluates all possible resamples instead of random ones.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Probability distributions that the tests and intervals need. Private to
// analysis/metrics/statistics and analysis/metrics/laws.

/// Returns the probability that at most k of n fair coins show heads.
double coin_cdf(std::size_t n, std::size_t k);
/// Returns the probability that at most k of n trials succeed, if each trial succeeds with
/// probability p.
double binomial_cdf(std::size_t n, double p, std::size_t k);
double normal_quantile(double p);
double student_t_quantile(double p, double degrees_of_freedom);
/// Returns the two-sided p value of z: the probability P(|Z| >= |z|) for a standard normal variable
/// Z.
double normal_two_sided_p(double z);
/// Returns the probability P(X >= x) for a chi-squared variable X.
double chi_squared_upper_p(double x, double degrees_of_freedom);

// Intervals for medians of repeats and for ratios of medians. All functions are pure and
// deterministic. docs/statistics.md describes the methods and how often the intervals contained the
// true value in simulations.

/// Smallest number of repeats for which a 95 % interval of the median exists. The range from the
/// smallest to the largest of n values contains the true median with a probability of 93.8 % for n
/// = 5 and 96.9 % for n = 6 (Hoefler and Belli, SC'15, rules 5 and 6).
inline constexpr std::size_t kFewestForInterval = 6;

struct Interval {
  enum class Kind {
    None,          ///< no interval: a single value, whose spread is unknown
    Range,         ///< range from smallest to largest value, without a stated probability
    Confidence95,  ///< interval that covers the true value 95 times out of 100
  };
  Kind kind = Kind::None;
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// Value estimated from `n` repeats, with its interval.
struct Estimate {
  double value = 0;
  Interval interval;
  std::size_t n = 0;
};

/// Smallest and largest number of repeats among the points of a table or figure.
struct Repeats {
  std::size_t fewest = 0;
  std::size_t most = 0;
  void add(std::size_t n) {
    fewest = fewest == 0 || n < fewest ? n : fewest;
    most = n > most ? n : most;
  }
};

/// Returns the interval of the median. One value has no interval. Fewer than kFewestForInterval
/// values have their range. More values have a 95 % interval that is interpolated between order
/// statistics (Hettmansperger and Sheather, 1986), which requires no assumption about the
/// distribution. Throws base::RunError for an empty list.
Interval interval_of_median(const std::vector<double>& values);

/// Returns the interval of median(numerators) / median(denominators), computed from the intervals
/// of both medians (MOVER on logarithms: Donner and Zou, 2012). All values must be positive, and
/// the lists must be independent of each other. The shorter list determines the kind of the
/// interval. Throws base::RunError for an empty list.
Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators);

/// Returns the interval of median(minuends) - median(subtrahends), computed like the interval of a
/// ratio but without logarithms. The values may be negative.
Interval interval_of_difference(const std::vector<double>& minuends,
                                const std::vector<double>& subtrahends);

// Percentile bootstrap of a median, with all possible resamples instead of random ones.

/// Returns the interval between the 2.5 % and the 97.5 % quantile of the medians of all resamples
/// (Efron, 1979). A resample has as many values as the list, drawn with replacement. Other programs
/// often report this interval. It contains the true median less often than 95 %
/// (docs/statistics.md), so no decision depends on it. Returns no interval for fewer than
/// kFewestForInterval values.
Interval bootstrap_interval_of_median(const std::vector<double>& values);

}  // namespace dlscale::analysis
