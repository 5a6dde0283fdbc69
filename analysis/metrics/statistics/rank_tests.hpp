// SPDX-License-Identifier: Apache-2.0
// Tests by ranks: no outlier can make or hide a difference alone.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Whether samples differ, judged by ranks: no outlier can make or hide a difference alone.

struct TestResult {
  double p = 1;  ///< two-sided
  bool exact = true;
};

/// Samples of up to this size are tested exactly.
inline constexpr std::size_t kMostForExact = 20;

/// Mann-Whitney U (Wilcoxon rank sum), both samples not empty. Up to kMostForExact values each the
/// p is exact, with ties given the ranks there are; beyond, the normal approximation with
/// corrections for ties and continuity.
TestResult mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

/// The smallest p that so many values can have: 2 / C(n_a + n_b, n_a). 1 without values.
double smallest_p(std::size_t n_a, std::size_t n_b);

/// The largest c with P(U < c) <= tail for samples without ties; 0 if even U = 0 is likelier. The
/// c-th smallest and the c-th largest of the n_a * n_b differences are then an interval of the
/// shift with coverage of at least 1 - 2 tail (Moses; in Lehmann, Nonparametrics, 1975).
std::size_t shift_rank(std::size_t n_a, std::size_t n_b, double tail);

/// Whether any of several samples differs, by chi squared, corrected for ties; p = 1 for fewer than
/// two samples or when all values are equal.
TestResult kruskal_wallis(const std::vector<std::vector<double>>& samples);

// Whether one and the same member of several groups tends to have the largest value in each.

/// A group of values that are compared with each other alone.
struct Block {
  std::vector<double> values;
  std::size_t own = 0;  ///< which of them is the member's
};

/// The chance that the ranks of the member's values in their blocks have such a sum or a larger
/// one, when in each block every value is as likely the member's as any other: exact, equal values
/// sharing their ranks. What blocks have in common, or one has more of than another, plays no part.
/// 1 without blocks.
double p_of_high_ranks(const std::vector<Block>& blocks);

/// The smallest such p: the member's value is the only largest in each.
double smallest_p_of_ranks(const std::vector<Block>& blocks);

}  // namespace dlscale::analysis
