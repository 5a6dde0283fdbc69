// SPDX-License-Identifier: Apache-2.0
// Finds the GPU count up to which a curve uses its GPUs well, and predicts speed-ups at larger
// counts from its scaling laws.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/extrapolation.hpp"
#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Scaling laws of a curve's step times, and the speed-ups that they predict at more GPUs.

/// Returns true if all runs of the curve recorded their steps.
bool tells_step_times(const ScalingCurve& curve);

/// Returns the median step times by GPU count, in seconds. The work is fixed if the curve keeps the
/// global batch.
LawData step_times(const ScalingCurve& curve);

/// Speed-up predicted by the average of the laws.
struct LawPrediction {
  double gpus = 1;
  double speedup = 1;  ///< speed-up over the baseline's median
  double low = 1;      ///< low end of the 95 % range of one more measurement
  double high = 1;
};

/// Returns the predictions at each measured GPU count and at 2, 4 and 8 times the largest one, up
/// to which the laws are trusted. Returns none if the curve has too few points for laws or has logs
/// without steps.
std::vector<LawPrediction> predicted_speedups(const ScalingCurve& curve, const Baseline& baseline);

// GPU count up to which a curve uses its GPUs well.

inline constexpr double kWorthwhileEfficiency = 0.8;
inline constexpr double kBearableAccuracyLoss = 0.01;

/// Largest measured GPU count up to which every point of the curve, from the fewest GPUs on, meets
/// a demand.
struct Knee {
  int gpus = 0;
  bool largest = false;  ///< true if no larger count was measured, so that the knee may lie beyond
  /// Range that contains the knee of 95 % of the resamples. Empty if a point has fewer than
  /// kFewestForInterval repeats.
  std::optional<int> low;
  std::optional<int> high;
  double support = 0;  ///< share of resamples with the knee at `gpus`; 0 without low and high
};

/// Returns the reference for the knee of `curve`: its point at the fewest GPUs, for any GPU count
/// of `baseline`, because a larger count hides the losses before it. Returns `baseline` if it
/// belongs to another curve.
Baseline knee_reference(const ScalingCurve& curve, const Baseline& baseline);

/// Returns the knee for an efficiency of at least `efficiency` against knee_reference, at every GPU
/// count of the curve. The repeats of all points are resampled together (bootstrap, 2000 times,
/// fixed seed).
Knee efficiency_knee(const ScalingCurve& curve, const Baseline& baseline, double efficiency);

/// Returns the knee for a final accuracy at most `loss` below the accuracy at the fewest GPUs.
/// `points` must belong to one curve, ascend in GPU count and not be empty.
Knee accuracy_knee(const std::vector<AccuracyPoint>& points, double loss);

}  // namespace dlscale::analysis
