// SPDX-License-Identifier: Apache-2.0
// Tests by ranks, in which a single outlier cannot make or hide a difference.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Tests whether samples differ, by ranks, so that a single outlier cannot make or hide a
// difference.

struct TestResult {
  double p = 1;  ///< p value, two-sided
  bool exact = true;
};

/// Largest size of a sample that is tested exactly.
inline constexpr std::size_t kMostForExact = 20;

/// Returns the result of the Mann-Whitney U test (Wilcoxon rank sum). Both samples must not be
/// empty. Up to kMostForExact values in each sample, p is exact, with shared ranks for ties. For
/// larger samples, p is the normal approximation with corrections for ties and continuity.
TestResult mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

/// Returns the smallest p that samples of these sizes can have: 2 / C(n_a + n_b, n_a). Returns 1
/// without values.
double smallest_p(std::size_t n_a, std::size_t n_b);

/// Returns the largest c with P(U < c) <= tail for samples without ties. Returns 0 if even U = 0 is
/// more likely than `tail`. The c-th smallest and the c-th largest of the n_a * n_b differences
/// then form an interval of the shift with coverage of at least 1 - 2 tail (Moses; in Lehmann,
/// Nonparametrics, 1975).
std::size_t shift_rank(std::size_t n_a, std::size_t n_b, double tail);

/// Returns the result of Kruskal and Wallis' test whether any of several samples differs, by chi
/// squared, corrected for ties. p is 1 for fewer than two samples or if all values are equal.
TestResult kruskal_wallis(const std::vector<std::vector<double>>& samples);

// Test whether the same member of several groups tends to have the largest value in each group.

/// Group of values that are compared only with each other.
struct Block {
  std::vector<double> values;
  std::size_t own = 0;  ///< index of the member's value
};

/// Returns the probability that the ranks of the member's values in their blocks have the observed
/// sum or a larger one, if each value of a block is equally likely to be the member's. The result
/// is exact, and equal values share their ranks. Differences between the blocks have no effect.
/// Returns 1 without blocks.
double p_of_high_ranks(const std::vector<Block>& blocks);

/// Returns the smallest p of p_of_high_ranks, for a member with the only largest value in each
/// block.
double smallest_p_of_ranks(const std::vector<Block>& blocks);

}  // namespace dlscale::analysis
