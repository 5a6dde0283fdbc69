// SPDX-License-Identifier: Apache-2.0
// Tests for differences between samples that use the ranks of the values. A single outlier can
// therefore neither cause nor hide a difference.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::analysis {

// Tests whether two or more samples differ.

struct TestResult {
  double p = 1;  ///< p value, two-sided
  bool exact = true;
};

/// Largest sample size for which the p value is exact.
inline constexpr std::size_t kMostForExact = 20;

/// Returns the result of the Mann-Whitney U test (Wilcoxon rank sum). Neither sample may be empty.
/// If neither sample has more than kMostForExact values, p is exact, and tied values share their
/// mean rank. Otherwise p is the normal approximation with corrections for ties and continuity.
TestResult mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

/// Two samples that are compared with each other, but not with the samples of other strata.
struct Stratum {
  std::vector<double> a, b;
};

/// Result of stratified_mann_whitney.
struct StratifiedResult {
  double p = 1;      ///< p value, two-sided
  double shift = 0;  ///< rank sum of the samples `a` minus its mean; negative if `a` is smaller
};

/// Returns the result of a test whether the samples `a` tend to be smaller or larger than the
/// samples `b`, over all strata: the sum of the Mann-Whitney statistics of the strata (van Elteren,
/// with equal weights). p is exact if no sample has more than kMostForExact values, else the normal
/// approximation without a correction for continuity. No sample may be empty.
StratifiedResult stratified_mann_whitney(const std::vector<Stratum>& strata);

/// Returns the smallest p value that stratified_mann_whitney can return for samples of these sizes.
double smallest_p(const std::vector<Stratum>& strata);

/// Returns the smallest two-sided p value that samples of these sizes can have: 2 / C(n_a + n_b,
/// n_a), where C is the binomial coefficient. Returns 1 for empty samples.
double smallest_p(std::size_t n_a, std::size_t n_b);

/// Returns the largest c with P(U < c) <= tail, where U is the Mann-Whitney statistic of equally
/// distributed samples without ties. The c-th smallest and the c-th largest of the n_a * n_b
/// differences between the samples enclose the true shift with a probability of at least 1 - 2 tail
/// (Moses; in Lehmann, Nonparametrics, 1975). Returns 0 if there is no such interval, because even
/// U = 0 is more likely than `tail`.
std::size_t shift_rank(std::size_t n_a, std::size_t n_b, double tail);

/// Returns the result of Kruskal and Wallis' test whether any of several samples differs from the
/// others. p is the chi-squared approximation, corrected for ties. p is 1 for fewer than two
/// samples or if all values are equal.
TestResult kruskal_wallis(const std::vector<std::vector<double>>& samples);

// Test whether one member of several groups tends to have the largest value of each group. Example:
// whether one node is the slowest in each launch.

/// Group of values, one of which belongs to the tested member. Values are compared only within
/// their group.
struct Block {
  std::vector<double> values;
  std::size_t own = 0;  ///< index of the tested member's value
};

/// Returns the one-sided p value that the member's values are large. The test statistic is the sum
/// of the ranks that the member's values have in their blocks. p is the probability of the observed
/// sum or a larger one, if each value of a block is equally likely to be the member's value. The p
/// value is exact, and equal values share their mean rank. Differences between the blocks have no
/// effect. Returns 1 without blocks.
double p_of_high_ranks(const std::vector<Block>& blocks);

/// Returns the smallest p value that p_of_high_ranks can return for blocks of these sizes. The
/// function returns this p value if the member alone has the largest value in each block.
double smallest_p_of_ranks(const std::vector<Block>& blocks);

}  // namespace dlscale::analysis
