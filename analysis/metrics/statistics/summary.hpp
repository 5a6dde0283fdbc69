// SPDX-License-Identifier: Apache-2.0
// Numbers that stand for a list of measurements, and where the warm-up of a run ends.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dlscale::analysis {

// Where the warm-up of a run ends.

struct SteadyRule {
  std::size_t windows = 5;  ///< that must agree, at least 2
  double variation = 0.02;  ///< standard deviation / mean below which they do
};

/// The first step window from which on `rule.windows` in a row agree (Georges, Buytaert and
/// Eeckhout, OOPSLA 2007): what lies before it is warm-up. Empty where a run never gets steady.
std::optional<std::size_t> steady_from(const std::vector<double>& step_times,
                                       const SteadyRule& rule = {});

// Numbers that stand for a list of measurements.

/// All throw base::RunError on an empty list.
double mean(const std::vector<double>& values);
double median(const std::vector<double>& values);
/// Linear interpolation between order statistics (Hyndman and Fan's type 7), q in [0, 1].
double quantile(std::vector<double> values, double q);
/// With n - 1; 0 for a single value.
double standard_deviation(const std::vector<double>& values);

/// Natural logarithms; all values are positive. Times are compared by them: a ratio of times is a
/// difference there.
std::vector<double> logs_of(const std::vector<double>& values);

}  // namespace dlscale::analysis
