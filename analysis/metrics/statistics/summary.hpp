// SPDX-License-Identifier: Apache-2.0
// Numbers that stand for a list of measurements.
#pragma once

#include <vector>

namespace dlscale::analysis {

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
