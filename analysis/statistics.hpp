// SPDX-License-Identifier: Apache-2.0
// Summaries of repeated measurements and how far they can be trusted. Pure and deterministic.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

/// All four throw base::RunError on an empty list.
double mean(const std::vector<double>& values);
double median(const std::vector<double>& values);
/// Linear interpolation between order statistics (Hyndman and Fan's type 7), q in [0, 1].
double quantile(const std::vector<double>& values, double q);
/// With n - 1; 0 for a single value.
double standard_deviation(const std::vector<double>& values);

/// Fewer repeats than this give no 95 % interval of a median: even their whole range covers less
/// (n = 5: 93.8 %, n = 6: 96.9 %; Hoefler and Belli, SC'15, rules 5 and 6).
inline constexpr std::size_t kFewestForInterval = 6;

struct Interval {
  enum class Kind {
    None,         ///< one value: nothing is known about the spread
    Range,        ///< smallest to largest; no statement of probability
    Bootstrap95,  ///< 95 % percentile bootstrap
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

/// Of the median: nothing for one value, the range below kFewestForInterval, else the bootstrap.
Interval interval_of_median(const std::vector<double>& values);

/// Of median(numerators) / median(denominators), all positive and independent of each other. A list
/// is resampled in the same way in each call, so that all points of a curve share the resamples of
/// their baseline. The kind is that of the smaller list.
Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators);

}  // namespace dlscale::analysis
