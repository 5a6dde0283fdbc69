// SPDX-License-Identifier: Apache-2.0
// The reference point of speed-ups: nothing can be sped up without one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// A measured point that others are divided by. It knows GPUs and nodes, so that the one cannot
/// be taken for the other: efficiency always counts GPUs.
class Baseline {
 public:
  explicit Baseline(const CurvePoint& point)
      : gpus_(point.gpus), nodes_(point.nodes), seconds_per_sample_(point.seconds_per_sample) {}
  /// Chosen by axis values, "framework=synchronous"; `is_own`: of the curve that it is for.
  Baseline(const CurvePoint& point, std::string chosen, bool is_own) : Baseline(point) {
    chosen_ = std::move(chosen);
    is_own_ = is_own;
  }
  int gpus() const { return gpus_; }
  int nodes() const { return nodes_; }
  const std::vector<double>& seconds_per_sample() const { return seconds_per_sample_; }
  /// False where it is of another curve, so that speed-ups of its own GPU count are no 1.
  bool is_own() const { return is_own_; }
  /// Whether it is this point of the curve that it is for.
  bool is(const CurvePoint& point) const { return is_own_ && point.gpus == gpus_; }
  /// "4 GPUs (1 node)", "1 GPU (1 node) with framework=single"; `worker` is what a rank is called.
  std::string label(const std::string& worker) const;

 private:
  int gpus_;
  int nodes_;
  std::vector<double> seconds_per_sample_;
  std::string chosen_;
  bool is_own_ = true;
};

/// A curve's baseline, or why it has none.
struct BaselineChoice {
  std::optional<Baseline> baseline;
  std::string problem;
  std::string mixed = {};  ///< the condition in which it differs from the curve, where allowed
};

/// The smallest GPU count all curves have; 0 if they share none.
int smallest_common_gpus(const std::vector<ScalingCurve>& curves);

/// One choice per curve; a smallest-common rule that already names its count is taken at its word.
/// A rule of axis values takes, of the curves that differ from a curve in these axes alone, the
/// point at its GPU count: the speed-up is absolute then. A curve whose points cannot be compared,
/// or not with their baseline, has none unless `allow_mixed`.
std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed);

/// Throws base::UsageError, naming the missing point, when not a single curve has a baseline.
void require_baseline(const std::vector<BaselineChoice>& choices);

/// "smallest-common", "per-curve", "gpus=4", or values of axes, "framework=synchronous,gpus=1", of
/// which the GPU count is 1 unless said: the rule's name has the others. Throws base::UsageError.
contract::BaselineRule parse_baseline(std::string_view text);

/// The values that the rule's name has; empty for rules that name none.
CurveKey chosen_values(const contract::BaselineRule& rule);

}  // namespace dlscale::analysis
