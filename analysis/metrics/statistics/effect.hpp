// SPDX-License-Identifier: Apache-2.0
// How much two samples of times differ, whether that is significant, and what many tests at once
// are worth.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"

namespace dlscale::analysis {

// What many tests at once are worth.

/// Holm's step-down adjustment (1979): of all the adjusted p at most a share alpha of families has
/// one below alpha by chance, whatever depends on what. In the order of `p`.
std::vector<double> holm(const std::vector<double>& p);

// Whether the mean logarithms of two samples of times differ, judged by shuffling them.

/// Two-sided, of positive values, both samples not empty. Exact where there are at most 200,000
/// ways to divide the values (10 and 10: 184,756), else (b + 1) / (m + 1) of m = 9,999 shuffles
/// with a fixed seed (Phipson and Smyth, 2010). More powerful than ranks for clean times, and blind
/// where one outlier makes the mean.
TestResult permutation_test_of_logs(const std::vector<double>& a, const std::vector<double>& b);

// How much two samples of times differ, whether or not that is significant.

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
