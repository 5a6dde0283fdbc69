// SPDX-License-Identifier: Apache-2.0
// Tests which of two configurations is faster, and whether the repeats are enough to decide.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Largest share of tables that may have a wrong "faster" among their verdicts.
inline constexpr double kWrongVerdicts = 0.05;

enum class Finding {
  Faster,              ///< `a` is faster than `b`
  NotDistinguishable,  ///< no difference found, which does not prove that they are equal
  TooFewRepeats,       ///< too few repeats for any result to be significant
};

struct Contestant {
  CurveKey key;
  int gpus = 1;
  std::vector<double> seconds_per_sample;  ///< time per sample of each repeat
};

/// Comparison of two points that differ in one axis only.
struct Verdict {
  std::string axis;  ///< axis in which the points differ
  Contestant a;      ///< point that takes less time, by `ratio`
  Contestant b;
  Finding finding = Finding::TooFewRepeats;
  Estimate ratio;           ///< time of b / time of a by Hodges and Lehmann, at least 1
  double cliffs_delta = 0;  ///< P(b takes longer) - P(a takes longer)
  double p = 1;             ///< p value of Mann and Whitney's test
  double p_of_logs = 1;     ///< p value of the permutation test of mean logarithms; decides nothing
  std::optional<double> adjusted_p;  ///< p adjusted by Holm, among all pairs with enough repeats
  std::optional<double> detectable;  ///< smallest ratio that would be found 8 times of 10
};

struct Verdicts {
  std::vector<Verdict> pairs;
  std::vector<std::string> refused;  ///< pairs at unequal conditions, with the reason
};

/// Returns true if runs with other values of this axis do other work. These axes are model, data
/// set, batch, and their parts (model.depth).
bool changes_work(const std::string& axis);

/// Returns all pairs of points with equal work per sample that differ in one axis. The pairs are
/// points of two curves at equal GPU counts and, if the global batch is fixed, neighbouring GPU
/// counts of one curve. Points that differ in model, data set or batch do other work and do not
/// form a pair. Pairs whose device, CPU model, … differ are refused unless `allow_mixed` is true.
Verdicts verdicts_between(const std::vector<ScalingCurve>& curves, bool allow_mixed);

}  // namespace dlscale::analysis
