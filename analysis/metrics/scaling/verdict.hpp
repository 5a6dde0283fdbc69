// SPDX-License-Identifier: Apache-2.0
// Tests which of two configurations is faster, and whether there are enough repeats to decide.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Largest accepted probability that a table contains a wrong verdict "faster".
inline constexpr double kWrongVerdicts = 0.05;

enum class Finding {
  Faster,  ///< `a` is faster than `b`
  /// No significant difference. This does not prove that `a` and `b` are equally fast.
  NotDistinguishable,
  TooFewRepeats,  ///< too few repeats for a significant result
};

struct Contestant {
  CurveKey key;
  int gpus = 1;
  std::vector<double> seconds_per_sample;  ///< time per sample of each repeat
};

/// Comparison of two points that differ in one axis only.
struct Verdict {
  std::string axis;  ///< axis in which the points differ
  Contestant a;      ///< faster point, according to `ratio`
  Contestant b;
  Finding finding = Finding::TooFewRepeats;
  Estimate ratio;           ///< time of b / time of a, at least 1 (Hodges and Lehmann's estimate)
  double cliffs_delta = 0;  ///< P(a repeat of b takes longer) - P(a repeat of a takes longer)
  double p = 1;             ///< p value of Mann and Whitney's test
  /// P value of the permutation test of mean logarithms. `finding` does not depend on this value.
  double p_of_logs = 1;
  /// P value with Holm's adjustment for all pairs with enough repeats. Empty for the other pairs.
  std::optional<double> adjusted_p;
  /// Smallest ratio that the test would detect with a probability of 80 %.
  std::optional<double> detectable;
};

struct Verdicts {
  std::vector<Verdict> pairs;
  /// Pairs that were not compared because their conditions differ, with the reason.
  std::vector<std::string> refused;
  /// First reason why a pair was not compared, by the axis in which the points of the pair differ.
  std::map<std::string, std::string> refused_axes = {};
};

/// Returns true if a different value of this axis means different work per sample or step. These
/// axes are the model, the data set, the batches, and their parts such as model.depth.
bool changes_work(const std::string& axis);

/// Returns the axis in which two keys differ. Returns an empty text if the keys are equal, differ
/// in several axes, or differ in an axis that changes the work.
std::string only_difference(const CurveKey& a, const CurveKey& b);

/// Returns the comparison of all pairs of points that differ in exactly one axis and do equal work
/// per sample. There are two kinds of pairs:
/// - points of two curves at the same GPU count
/// - points of one curve at neighbouring GPU counts, if the global batch is fixed
/// Points that differ in the model, the data set or the batch do different work and form no pair. A
/// pair whose conditions (device, CPU model, …) differ is refused unless `allow_mixed` is true.
/// Plan folders of a joined frame are compared although their machine and its software differ
/// (describes_source in analysis/metrics/scaling/joined_frames.hpp).
Verdicts verdicts_between(const std::vector<ScalingCurve>& curves, bool allow_mixed);

/// Returns the comparison of all pairs of points at the same GPU count whose curves differ only in
/// their known batch (batch_per_gpu or global_batch). The work of a sample is equal, so the times
/// per sample are comparable. The work of a step and the trained model differ, so
/// verdicts_between() leaves out these pairs. Conditions are compared as in verdicts_between().
Verdicts batch_verdicts(const std::vector<ScalingCurve>& curves, bool allow_mixed);

}  // namespace dlscale::analysis
