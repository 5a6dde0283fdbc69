// SPDX-License-Identifier: Apache-2.0
// Chooses baselines, which are the reference points of speed-ups.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// Measured point that other points are divided by. It stores GPUs and nodes separately, so that
/// they cannot be confused. Efficiency always counts GPUs.
class Baseline {
 public:
  explicit Baseline(const CurvePoint& point)
      : gpus_(point.gpus), nodes_(point.nodes), seconds_per_sample_(point.seconds_per_sample) {}
  /// Creates a baseline that was chosen by axis values such as "framework=synchronous". `is_own` is
  /// true if the point belongs to the curve that the baseline is for.
  Baseline(const CurvePoint& point, std::string chosen, bool is_own) : Baseline(point) {
    chosen_ = std::move(chosen);
    is_own_ = is_own;
  }
  int gpus() const { return gpus_; }
  int nodes() const { return nodes_; }
  const std::vector<double>& seconds_per_sample() const { return seconds_per_sample_; }
  /// Returns false if the point belongs to another curve, so that the speed-up at its GPU count is
  /// not 1.
  bool is_own() const { return is_own_; }
  /// Returns true if `point`, a point of the curve that the baseline is for, is the baseline
  /// itself.
  bool is(const CurvePoint& point) const { return is_own_ && point.gpus == gpus_; }
  /// Returns a text such as "4 GPUs (1 node)" or "1 GPU (1 node) with framework=single". `worker`
  /// is the word for a rank.
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
  std::string mixed = {};  ///< condition in which it differs from the curve, if allowed
};

/// Returns the smallest GPU count that all curves have. Returns 0 if they share none.
int smallest_common_gpus(const std::vector<ScalingCurve>& curves);

/// Returns one choice per curve. A smallest-common rule with a GPU count uses this count. A rule of
/// axis values takes the point at its GPU count from the curve that differs only in these axes, so
/// the speed-up is absolute. A curve whose points cannot be compared with each other or with the
/// baseline has no baseline unless `allow_mixed` is true.
std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed);

/// Throws base::UsageError, which names the missing point, if no curve has a baseline.
void require_baseline(const std::vector<BaselineChoice>& choices);

/// Parses "smallest-common", "per-curve", "gpus=4", or axis values such as
/// "framework=synchronous,gpus=1". With axis values, the GPU count is 1 by default, and the rule's
/// name contains the other values. Throws base::UsageError for any other text.
contract::BaselineRule parse_baseline(std::string_view text);

/// Returns the axis values in the rule's name, or an empty key for a rule without axis values.
CurveKey chosen_values(const contract::BaselineRule& rule);

}  // namespace dlscale::analysis
