// SPDX-License-Identifier: Apache-2.0
// Computes intervals for medians of repeats and for ratios of medians.
//
// A point of a study has few repeats, and their distribution is unknown. The intervals are
// therefore interpolated between order statistics, which needs no assumption about the
// distribution. With too few repeats for a 95 % interval, the result is the range of the values and
// makes no statement of probability. The percentile bootstrap of a median covers less than its
// nominal level (docs/statistics.md), so it is reported, but no decision depends on it. All
// functions are pure and deterministic. The bootstrap uses all possible resamples instead of random
// ones.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Distributions that tests and intervals use. Private to analysis/metrics/statistics and
// analysis/metrics/laws.

/// Returns P(X <= k) for n fair coins.
double coin_cdf(std::size_t n, std::size_t k);
/// Returns P(X <= k) for n trials that succeed with probability p.
double binomial_cdf(std::size_t n, double p, std::size_t k);
double normal_quantile(double p);
double student_t_quantile(double p, double degrees_of_freedom);
/// Returns P(|Z| >= |z|) for a standard normal Z.
double normal_two_sided_p(double z);
/// Returns P(X >= x) for a chi-squared X.
double chi_squared_upper_p(double x, double degrees_of_freedom);

// Intervals for medians of repeats and for ratios of medians. All functions are pure and
// deterministic. docs/statistics.md describes the methods and how often they were right.

/// Smallest number of repeats with a 95 % interval of the median. With fewer repeats, even their
/// whole range covers less (n = 5: 93.8 %, n = 6: 96.9 %; Hoefler and Belli, SC'15, rules 5 and 6).
inline constexpr std::size_t kFewestForInterval = 6;

struct Interval {
  enum class Kind {
    None,          ///< single value, whose spread is unknown
    Range,         ///< range from smallest to largest value, without a probability
    Confidence95,  ///< interval that covers the true value 95 times of 100
  };
  Kind kind = Kind::None;
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// Summary of `n` repeats.
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

/// Returns the interval of the median: none for one value, the range below kFewestForInterval
/// values, else order statistics interpolated to 95 % (Hettmansperger and Sheather, 1986). The
/// method assumes no distribution. Throws base::RunError for an empty list.
Interval interval_of_median(const std::vector<double>& values);

/// Returns the interval of median(numerators) / median(denominators), computed from the intervals
/// of both medians (MOVER on logarithms: Donner and Zou, 2012). All values must be positive, and
/// both lists must be independent. The shorter list determines the kind of the interval. Throws
/// base::RunError for an empty list.
Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators);

// Percentile bootstrap of a median, with all possible resamples instead of random ones.

/// Returns the interval from the smallest median that at least 2.5 % of the resamples do not exceed
/// to the smallest that 97.5 % do not exceed (Efron, 1979). A resample has as many values as the
/// list, drawn with replacement. Other programs often report this interval of a median. It covers
/// less than its nominal level (docs/statistics.md), so no decision depends on it. Returns no
/// interval below kFewestForInterval values.
Interval bootstrap_interval_of_median(const std::vector<double>& values);

}  // namespace dlscale::analysis
