// SPDX-License-Identifier: Apache-2.0
// Compares the values of an axis, such as two framework styles, by speed and by accuracy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

/// Comparison of two values of an axis at one point of the other axes.
struct VariantPair {
  std::string axis;
  std::string better;  ///< faster or more accurate value, according to `effect`
  std::string worse;
  int gpus = 1;
  /// Finding::Faster means that `better` is significantly faster or more accurate.
  Finding finding = Finding::TooFewRepeats;
  /// Ratio of the times, at least 1; or difference of the accuracies as a fraction, at least 0.
  Estimate effect;
  /// Smallest ratio that the test would detect with a probability of 80 %. Empty for accuracies.
  std::optional<double> detectable;
};

/// Returns the comparisons of verdicts_between that compare values of an axis other than the GPU
/// count.
std::vector<VariantPair> speed_pairs(const std::vector<ScalingCurve>& curves, bool allow_mixed);

/// Returns the comparisons of all pairs of points that have the same GPU count and global batch and
/// differ in one axis that does not change the work. The p values of Mann and Whitney's test are
/// adjusted by Holm's method for all pairs with enough repeats. Pairs with different data sets or
/// stop rules are not compared.
std::vector<VariantPair> accuracy_pairs(const std::vector<AccuracyPoint>& points);

/// Summary of all comparisons between two values of an axis.
struct VariantContest {
  std::string axis;
  std::string a, b;  ///< the values. If `is_decided`, `a` is the better one
  /// True if `a` is significantly better in all pairs with at least `from_gpus` GPUs.
  bool is_decided = false;
  int from_gpus = 1;
  int first_gpus = 1, last_gpus = 1;  ///< smallest and largest compared GPU count
  std::vector<VariantPair> last;      ///< pairs at `last_gpus`, by ascending effect
  int pairs = 0;                      ///< number of comparisons
  int too_few = 0;                    ///< number of comparisons with too few repeats
  int a_better = 0, b_better = 0;     ///< number of significant comparisons
  std::size_t most_repeats = 0;       ///< largest n of an effect
  std::optional<double> detectable;   ///< largest `detectable` of the pairs
};

/// Returns one contest for each axis and each two values, in the order of the first pairs.
std::vector<VariantContest> contests(const std::vector<VariantPair>& pairs);

}  // namespace dlscale::analysis
