// SPDX-License-Identifier: Apache-2.0
// Which of two configurations is faster, and whether the repeats can tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Of all verdicts of a table the share of tables with a wrong "faster" is at most this.
inline constexpr double kWrongVerdicts = 0.05;

enum class Finding {
  Faster,              ///< `a` is faster than `b`
  NotDistinguishable,  ///< the repeats do not tell; which is no proof that they are equal
  TooFewRepeats,       ///< no result of so few repeats could tell
};

struct Contestant {
  CurveKey key;
  int gpus = 1;
  std::vector<double> seconds_per_sample;  ///< of each repeat
};

/// Two points that differ in one axis alone.
struct Verdict {
  std::string axis;  ///< in which they differ
  Contestant a;      ///< the one that takes less time, by `ratio`
  Contestant b;
  Finding finding = Finding::TooFewRepeats;
  Estimate ratio;           ///< time of b / time of a: Hodges and Lehmann's, 1 or more
  double cliffs_delta = 0;  ///< P(b takes longer) - P(a takes longer)
  double p = 1;             ///< of Mann and Whitney's test
  double p_of_logs = 1;     ///< of the permutation test of mean logarithms; decides nothing
  std::optional<double> adjusted_p;  ///< by Holm, among all pairs with enough repeats
  std::optional<double> detectable;  ///< the smallest ratio that would be found 8 times of 10
};

struct Verdicts {
  std::vector<Verdict> pairs;
  std::vector<std::string> refused;  ///< pairs at unequal conditions, with the reason
};

/// Whether runs with other values of this axis do other work: model, data set, batch, and what
/// belongs to them (model.depth).
bool changes_work(const std::string& axis);

/// All pairs of points of equal work per sample that differ in one axis: curves at equal GPU
/// counts, and, where the global batch is fixed, neighbouring GPU counts of a curve. Pairs that
/// differ in model, data set or batch do other work and are none. Pairs whose device, CPU model, …
/// differ are refused unless `allow_mixed`.
Verdicts verdicts_between(const std::vector<ScalingCurve>& curves, bool allow_mixed);

}  // namespace dlscale::analysis
