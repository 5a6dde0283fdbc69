// SPDX-License-Identifier: Apache-2.0
// Compares the values of an axis, such as two framework styles, by speed and by accuracy.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

/// Comparison of two values of an axis at one point of the other axes.
struct VariantPair {
  std::string axis;
  std::string a, b;
  int gpus = 1;
  /// Times per sample, or shares of wrong answers, of the repeats of each value. Less is better.
  std::vector<double> of_a, of_b;
  /// Advantage of `a`: time of b / time of a, or accuracy of a - accuracy of b as a fraction.
  Estimate advantage;
  Estimate disadvantage;  ///< advantage of `b`
};

/// Returns the pairs of points of two curves at the same GPU count among `verdicts`.
std::vector<VariantPair> speed_pairs(const Verdicts& verdicts);

/// Returns all pairs of points that have the same GPU count and global batch and differ in one axis
/// that does not change the work. Pairs with different data sets or stop rules are left out.
std::vector<VariantPair> accuracy_pairs(const std::vector<AccuracyPoint>& points);

/// Comparison of two values of an axis over all points of the other axes. The pairs at one GPU
/// count are tested together (stratified_mann_whitney). The largest GPU count is tested first, then
/// the next smaller one, until a test is not significant. The p values need no adjustment for
/// this sequence. Each p value is multiplied by the number of contests, so that the probability of
/// any wrong decision is at most kWrongVerdicts.
struct VariantContest {
  std::string axis;
  std::string a, b;                          ///< `a` is the better value at the largest GPU count
  Finding finding = Finding::TooFewRepeats;  ///< result of the test at `last_gpus`
  int from_gpus = 1;   ///< smallest GPU count from which on all tests find that `a` is better
  int first_gpus = 1;  ///< smallest compared GPU count
  int last_gpus = 1;   ///< largest compared GPU count
  std::vector<Estimate> advantages;  ///< advantages of `a` at `last_gpus`, in ascending order
};

/// Returns one contest for each axis and each two values, in the order of the first pairs.
std::vector<VariantContest> contests(const std::vector<VariantPair>& pairs);

}  // namespace dlscale::analysis
