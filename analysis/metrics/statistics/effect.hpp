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

/// Returns the p values adjusted by Holm's step-down method (1979), in the order of `p`. The
/// probability that any adjusted p value is below alpha by chance is at most alpha, whether or not
/// the tests depend on each other.
std::vector<double> holm(const std::vector<double>& p);

// Permutation test for a difference between the mean logarithms of two samples of times.

/// Returns the two-sided p value. All values must be positive, and neither sample may be empty. The
/// test is exact if there are at most 200,000 ways to divide all values into two samples of these
/// sizes (10 and 10: 184,756). Otherwise p is (b + 1) / (m + 1), where b of m = 9,999 random
/// shuffles with a fixed seed are at least as extreme as the observed division (Phipson and Smyth,
/// 2010). The test is more powerful than rank tests for times without outliers, but useless if one
/// outlier dominates the mean.
TestResult permutation_test_of_logs(const std::vector<double>& a, const std::vector<double>& b);

// Measures of how large the difference between two samples is. These measures do not show whether
// the difference is significant.

/// Returns Hodges and Lehmann's estimate of the ratio between two samples: the median of a_i / b_j
/// over all pairs. The interval contains the ratios that the Mann-Whitney test at 5 % would not
/// reject (Moses), so it covers the true ratio with a probability of at least 95 %. With too few
/// values for such an interval, the result contains the range of all ratios. All values must be
/// positive, and neither list may be empty.
Estimate hodges_lehmann_ratio(const std::vector<double>& a, const std::vector<double>& b);

/// Returns Hodges and Lehmann's estimate of the difference between two samples: the median of
/// a_i - b_j over all pairs, with the interval that hodges_lehmann_ratio() describes. The values
/// may be negative, and neither list may be empty.
Estimate hodges_lehmann_difference(const std::vector<double>& a, const std::vector<double>& b);

/// Returns Hodges and Lehmann's estimate of the centre of one sample: the median of the means of
/// all pairs of values, including the pair of each value with itself. The interval contains the
/// centres that Wilcoxon's signed rank test at 5 % would not reject. `values` must not be empty.
Estimate hodges_lehmann_center(const std::vector<double>& values);

/// Returns Cliff's delta P(a > b) - P(a < b), from -1 to 1. It is 0 if neither sample tends to be
/// larger.
double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b);

/// Returns the smallest ratio of times above 1 that a test at level `alpha` would detect with a
/// probability of 80 %, for samples with the sizes and the noise of `a` and `b`. The computation
/// uses logarithms, where the ratio is a shift. The detectable shift is half the width of the
/// shift's Hodges-Lehmann interval at level `alpha`, times (z_{1-alpha/2} + z_{0.8}) /
/// z_{1-alpha/2}. Returns an empty value if samples of these sizes can never be significantly
/// different.
std::optional<double> detectable_ratio(const std::vector<double>& a, const std::vector<double>& b,
                                       double alpha);

}  // namespace dlscale::analysis
