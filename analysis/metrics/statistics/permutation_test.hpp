// SPDX-License-Identifier: Apache-2.0
// Whether the mean logarithms of two samples of times differ, judged by shuffling them.
#pragma once

#include <vector>

#include "analysis/metrics/statistics/rank_tests.hpp"

namespace dlscale::analysis {

/// Two-sided, of positive values, both samples not empty. Exact where there are at most 200,000
/// ways to divide the values (10 and 10: 184,756), else (b + 1) / (m + 1) of m = 9,999 shuffles
/// with a fixed seed (Phipson and Smyth, 2010). More powerful than ranks for clean times, and blind
/// where one outlier makes the mean.
TestResult permutation_test_of_logs(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace dlscale::analysis
