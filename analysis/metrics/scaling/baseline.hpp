// SPDX-License-Identifier: Apache-2.0
// Chooses the baseline of each scaling curve: the measured point that speed-ups are relative to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// Measured point that the speed-ups of other points are relative to. Its numbers of GPUs and of
/// nodes are separate members, so that they cannot be confused. Efficiency always uses the number
/// of GPUs.
class Baseline {
 public:
  explicit Baseline(const CurvePoint& point)
      : gpus_(point.gpus), nodes_(point.nodes), seconds_per_sample_(point.seconds_per_sample) {}
  /// Creates a baseline that was chosen by axis values. `chosen` is the text of these values, such
  /// as "framework=synchronous". `is_own` is true if the point belongs to the curve whose speed-ups
  /// use the baseline.
  Baseline(const CurvePoint& point, std::string chosen, bool is_own) : Baseline(point) {
    chosen_ = std::move(chosen);
    is_own_ = is_own;
  }
  int gpus() const { return gpus_; }
  int nodes() const { return nodes_; }
  const std::vector<double>& seconds_per_sample() const { return seconds_per_sample_; }
  /// Returns true if the baseline is a point of the curve whose speed-ups use it. If it is a point
  /// of another curve, the speed-up at the baseline's GPU count can differ from 1.
  bool is_own() const { return is_own_; }
  /// Returns true if `point` is the baseline itself. `point` must belong to the curve whose
  /// speed-ups use this baseline.
  bool is(const CurvePoint& point) const { return is_own_ && point.gpus == gpus_; }
  /// Returns a text such as "4 GPUs (1 node)" or "1 GPU (1 node) with framework=single". `worker`
  /// is the word for one worker: "GPU" or "rank".
  std::string label(const std::string& worker) const;

 private:
  int gpus_;
  int nodes_;
  std::vector<double> seconds_per_sample_;
  std::string chosen_;
  bool is_own_ = true;
};

/// Baseline of a curve, or the reason why the curve has no baseline.
struct BaselineChoice {
  std::optional<Baseline> baseline;
  std::string problem;
  /// Condition in which the baseline differs from the curve. Empty if there is no such condition.
  std::string mixed = {};
};

/// Returns the smallest GPU count at which every curve has a point. Returns 0 if there is no such
/// count.
int smallest_common_gpus(const std::vector<ScalingCurve>& curves);

/// Returns one choice for each curve. The baseline is a point of the curve itself, except for a
/// rule of axis values:
/// - "per-curve": the point with the curve's smallest GPU count
/// - "gpus", or "smallest-common" with a GPU count: the point at that count
/// - "smallest-common" without a GPU count: the point at the smallest count common to all curves
/// - axis values, such as "framework=synchronous,gpus=1": the point at the rule's GPU count of the
///   curve that has these values and otherwise equals the given curve (the speed-up is then
///   absolute)
/// A curve has no baseline if its points are not comparable with each other or with the baseline,
/// unless `allow_mixed` is true.
std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed);

/// Throws base::UsageError if no curve has a baseline. The message explains why the first curve has
/// none.
void require_baseline(const std::vector<BaselineChoice>& choices);

/// Parses "smallest-common", "per-curve", "gpus=4", or axis values such as
/// "framework=synchronous,gpus=1". For axis values, the GPU count is 1 by default, and `rule` of
/// the result contains the values of the other axes. Throws base::UsageError for any other text.
contract::BaselineRule parse_baseline(std::string_view text);

/// Returns the axis values that the rule chooses the baseline by, or an empty key for a rule
/// without axis values.
CurveKey chosen_values(const contract::BaselineRule& rule);

}  // namespace dlscale::analysis
