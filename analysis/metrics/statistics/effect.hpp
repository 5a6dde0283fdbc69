// SPDX-License-Identifier: Apache-2.0
// How much two samples of times differ, whether or not that is significant.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Hodges and Lehmann's estimate as a ratio: the median of a_i / b_j over all pairs, with the
/// interval that the Mann-Whitney test at 5 % would not reject (Moses), which covers at least 95 %;
/// a range where there are too few values for one. All values positive, no list empty.
Estimate hodges_lehmann_ratio(const std::vector<double>& a, const std::vector<double>& b);

/// The same of one sample: the median of the means of all pairs of `values`, each with itself as
/// well, with the interval that Wilcoxon's signed rank test at 5 % would not reject. Not empty.
Estimate hodges_lehmann_center(const std::vector<double>& values);

/// Cliff's delta: P(a > b) - P(a < b), from -1 to 1; 0 where neither tends to be larger.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

/// The smallest ratio of times, above 1, that a test at level `alpha` would find 8 times of 10 with
/// as many repeats and as much noise as these: the Hodges-Lehmann interval at that level says how
/// uncertain a shift is, and (z_{1-alpha/2} + z_{0.8}) / z_{1-alpha/2} times its half is what can
/// be told. Empty where no result of so many repeats could be significant.
std::optional<double> detectable_ratio(const std::vector<double>& a, const std::vector<double>& b,
                                       double alpha);

}  // namespace dlscale::analysis
