// SPDX-License-Identifier: Apache-2.0
// How far medians of repeats and ratios of them can be trusted. Pure and deterministic;
// docs/statistics.md has the methods and how often they were right.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
