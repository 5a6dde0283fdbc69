// SPDX-License-Identifier: Apache-2.0
// Summarises lists of measurements, and finds the end of a run's warm-up.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dlscale::analysis {

// Detection of the end of a run's warm-up.

struct SteadyRule {
  std::size_t windows = 5;  ///< number of consecutive step windows that must agree, at least 2
  /// Windows agree if the standard deviation / mean of their step times is below this value.
  double variation = 0.02;
};

/// Returns the index of the first window of the earliest `rule.windows` consecutive step windows
/// whose step times agree (Georges, Buytaert and Eeckhout, OOPSLA 2007). The windows before this
/// index are warm-up. Returns an empty value if the run never becomes steady.
std::optional<std::size_t> steady_from(const std::vector<double>& step_times,
                                       const SteadyRule& rule = {});

// Summaries of a list of measurements.

/// Returns the mean. This function, median(), quantile() and standard_deviation() throw
/// base::RunError for an empty list.
double mean(const std::vector<double>& values);
double median(const std::vector<double>& values);
/// Returns the quantile q in [0, 1] by linear interpolation between order statistics (Hyndman and
/// Fan's type 7).
double quantile(std::vector<double> values, double q);
/// Returns the standard deviation with n - 1 in the denominator. Returns 0 for a single value.
double standard_deviation(const std::vector<double>& values);

/// Returns the natural logarithms of the values, which must be positive. Times are compared by
/// their logarithms, because a ratio of times is then a difference.
std::vector<double> logs_of(const std::vector<double>& values);

}  // namespace dlscale::analysis
