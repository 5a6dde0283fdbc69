// SPDX-License-Identifier: Apache-2.0
// The reference point of speed-ups: nothing can be sped up without one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/scaling/curve.hpp"
#include "contract/plan.hpp"

namespace dlscale::analysis {

/// A measured point that others are divided by. It knows GPUs and nodes, so that the one cannot
/// be taken for the other: efficiency always counts GPUs.
class Baseline {
 public:
  explicit Baseline(const CurvePoint& point)
      : gpus_(point.gpus), nodes_(point.nodes), seconds_per_sample_(point.seconds_per_sample) {}
  int gpus() const { return gpus_; }
  int nodes() const { return nodes_; }
  const std::vector<double>& seconds_per_sample() const { return seconds_per_sample_; }
  /// "4 GPUs (1 node)"; `worker` is what a rank is called.
  std::string label(const std::string& worker) const;

 private:
  int gpus_;
  int nodes_;
  std::vector<double> seconds_per_sample_;
};

/// A curve's baseline, or why it has none.
struct BaselineChoice {
  std::optional<Baseline> baseline;
  std::string problem;
};

/// The smallest GPU count all curves have; 0 if they share none.
int smallest_common_gpus(const std::vector<ScalingCurve>& curves);

/// One choice per curve; a smallest-common rule that already names its count is taken at its word.
/// A curve whose points cannot be compared has none unless `allow_mixed`.
std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed);

/// Throws base::UsageError, naming the missing point, when not a single curve has a baseline.
void require_baseline(const std::vector<BaselineChoice>& choices);

/// "smallest-common", "per-curve" or "gpus=4". Throws base::UsageError.
contract::BaselineRule parse_baseline(std::string_view text);

}  // namespace dlscale::analysis
