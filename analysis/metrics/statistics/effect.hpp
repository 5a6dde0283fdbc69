// SPDX-License-Identifier: Apache-2.0
// Measures and tests how much two samples of times differ, and adjusts the p values of several
// tests.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"

namespace dlscale::analysis {

// Adjustment of the p values of several tests.

/// Returns the p values adjusted by Holm's step-down method (1979), in the order of `p`. At most a
/// share alpha of families has any adjusted p below alpha by chance, for any dependence between the
/// tests.
std::vector<double> holm(const std::vector<double>& p);

// Permutation test of the mean logarithms of two samples of times.

/// Returns the two-sided p value. All values must be positive, and both samples must not be empty.
/// The test is exact if there are at most 200,000 ways to divide the values (10 and 10: 184,756).
/// Otherwise p is (b + 1) / (m + 1) for m = 9,999 shuffles with a fixed seed (Phipson and Smyth,
/// 2010). The test is more powerful than rank tests for clean times, but fails if one outlier
/// dominates the mean.
TestResult permutation_test_of_logs(const std::vector<double>& a, const std::vector<double>& b);

// Size of the difference between two samples of times, whether significant or not.

/// Returns Hodges and Lehmann's estimate as a ratio: the median of a_i / b_j over all pairs. The
/// interval contains the ratios that the Mann-Whitney test at 5 % would not reject (Moses) and
/// covers at least 95 %. It is a range if there are too few values for an interval. All values must
/// be positive, and no list may be empty.
Estimate hodges_lehmann_ratio(const std::vector<double>& a, const std::vector<double>& b);

/// Returns the same estimate for one sample: the median of the means of all pairs of `values`,
/// including the pair of each value with itself. The interval contains the centres that Wilcoxon's
/// signed rank test at 5 % would not reject. `values` must not be empty.
Estimate hodges_lehmann_center(const std::vector<double>& values);

/// Returns Cliff's delta P(a > b) - P(a < b), from -1 to 1. It is 0 if neither sample tends to be
/// larger.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

/// Returns the smallest ratio of times above 1 that a test at level `alpha` would find 8 times of
/// 10, with the number of repeats and the noise of these samples. The Hodges-Lehmann interval at
/// that level measures the uncertainty of a shift, and the detectable shift is (z_{1-alpha/2} +
/// z_{0.8}) / z_{1-alpha/2} times half of its width. Returns an empty value if no result of this
/// number of repeats could be significant.
std::optional<double> detectable_ratio(const std::vector<double>& a, const std::vector<double>& b,
                                       double alpha);

}  // namespace dlscale::analysis
