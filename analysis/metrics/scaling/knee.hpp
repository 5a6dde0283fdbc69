// SPDX-License-Identifier: Apache-2.0
// Up to how many GPUs a curve is worth its GPUs, and what speed its scaling law makes of more of
// them.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/extrapolation.hpp"
#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// The scaling laws of a curve's step times, and what speed they make of more GPUs.

/// Whether all runs of the curve tell their steps.
bool tells_step_times(const ScalingCurve& curve);

/// Median step times by GPU count: of fixed work where the curve keeps the global batch.
LawData step_times(const ScalingCurve& curve);

/// A speed-up by the laws' average.
struct LawPrediction {
  double gpus = 1;
  double speedup = 1;  ///< against the baseline's median
  double low = 1;      ///< 95 % of what one more measurement would find
  double high = 1;
};

/// At each count measured, and at 2, 4 and 8 times the largest: as far as the laws are trusted.
/// Empty where the curve has too few points for laws, or logs that do not tell their steps.
std::vector<LawPrediction> predicted_speedups(const ScalingCurve& curve, const Baseline& baseline);

// Up to how many GPUs a curve is worth its GPUs.

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
