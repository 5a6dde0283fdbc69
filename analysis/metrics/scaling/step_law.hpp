// SPDX-License-Identifier: Apache-2.0
// The scaling laws of a curve's step times, and what speed they make of more GPUs.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/laws/extrapolation.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
