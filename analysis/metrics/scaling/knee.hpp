// SPDX-License-Identifier: Apache-2.0
// Up to how many GPUs a curve is worth its GPUs.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/accuracy_vs_batch.hpp"
#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

inline constexpr double kWorthwhileEfficiency = 0.8;
inline constexpr double kBearableAccuracyLoss = 0.01;

/// The largest GPU count measured up to which, from the fewest on, every point meets a demand.
struct Knee {
  int gpus = 0;
  bool largest = false;  ///< no larger count was measured: the knee may lie beyond
  /// 95 % of resamples have their knee from low to high; empty where a point has fewer than
  /// kFewestForInterval repeats.
  std::optional<int> low;
  std::optional<int> high;
  double support = 0;  ///< the share of resamples with the knee at `gpus`; 0 without low and high
};

/// What `curve`'s knee is judged against: its point at the fewest GPUs, whatever count `baseline`
/// is at, as a larger one hides what is lost before it. A baseline of another curve stays it.
Baseline knee_reference(const ScalingCurve& curve, const Baseline& baseline);

/// Efficiency of at least `efficiency` against knee_reference, at every count of the curve. Repeats
/// of all points are resampled together (bootstrap, 2000 times, fixed seed).
Knee efficiency_knee(const ScalingCurve& curve, const Baseline& baseline, double efficiency);

/// Final accuracy at most `loss` below that at the fewest GPUs; `points` of one curve, ascending,
/// not empty.
Knee accuracy_knee(const std::vector<AccuracyPoint>& points, double loss);

}  // namespace dlscale::analysis
