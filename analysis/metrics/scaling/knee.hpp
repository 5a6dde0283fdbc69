// SPDX-License-Identifier: Apache-2.0
// Finds the largest GPU count at which a curve still uses its GPUs well, and predicts speed-ups at
// larger GPU counts from scaling laws.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/extrapolation.hpp"
#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Scaling laws fitted to a curve's step times, and the speed-ups that they predict at more GPUs.

/// Returns true if all runs of the curve recorded their steps.
bool tells_step_times(const ScalingCurve& curve);

/// Returns the median step time in seconds for each GPU count. The kind of work is Work::Fixed if
/// the global batch is fixed along the curve, else Work::PerGpu.
LawData step_times(const ScalingCurve& curve);

/// Speed-up at one GPU count, predicted by the average of the scaling laws.
struct LawPrediction {
  double gpus = 1;
  double speedup = 1;  ///< speed-up relative to the baseline's median
  double low = 1;      ///< low end of the 95 % interval for one more measurement
  double high = 1;
};

/// Returns the predictions at each measured GPU count and at 2, 4 and 8 times the largest measured
/// count. Laws are not trusted beyond 8 times that count. Returns an empty list if the curve has
/// too few points for laws or if a log does not record steps.
std::vector<LawPrediction> predicted_speedups(const ScalingCurve& curve, const Baseline& baseline);

// Knee: the largest GPU count at which a curve still uses its GPUs well.

inline constexpr double kWorthwhileEfficiency = 0.8;
inline constexpr double kBearableAccuracyLoss = 0.01;

/// Result of the search for a curve's knee. The knee is the largest measured GPU count such that
/// the points at this count and at all smaller counts meet a demand, such as an efficiency of at
/// least 0.8.
struct Knee {
  int gpus = 0;
  /// True if no larger GPU count was measured. The true knee may then be larger.
  bool largest = false;
  /// Range of GPU counts that contains the knees of 95 % of the bootstrap resamples. Empty if a
  /// point has fewer than kFewestForInterval repeats.
  std::optional<int> low;
  std::optional<int> high;
  /// Share of the resamples whose knee is at `gpus`, or 0 if `low` and `high` are empty.
  double support = 0;
};

/// Returns the reference that the efficiencies for the knee of `curve` are relative to. If
/// `baseline` belongs to `curve`, the reference is the point with the fewest GPUs, because a
/// baseline at more GPUs would hide the losses up to the baseline's GPU count. Otherwise the
/// reference is `baseline`.
Baseline knee_reference(const ScalingCurve& curve, const Baseline& baseline);

/// Returns the knee for the demand that the efficiency relative to knee_reference is at least
/// `efficiency`. The range of the knee comes from a bootstrap: the repeats of all points are
/// resampled together 2000 times, with a fixed seed.
Knee efficiency_knee(const ScalingCurve& curve, const Baseline& baseline, double efficiency);

/// Returns the knee for the demand that the final accuracy is at most `loss` below the accuracy at
/// the fewest GPUs. `points` must belong to one curve, ascend in GPU count and not be empty.
Knee accuracy_knee(const std::vector<AccuracyPoint>& points, double loss);

}  // namespace dlscale::analysis
