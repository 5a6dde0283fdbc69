// SPDX-License-Identifier: Apache-2.0
// Computes how much accuracy larger global batches lose, relative to the smallest batch.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

/// Loss of accuracy at one global batch.
struct BatchLoss {
  std::int64_t global_batch = 0;
  double accuracy = 0;  ///< median of the repeats, as a fraction
  /// Accuracy at the smallest batch minus accuracy at this batch, as a fraction. It is negative if
  /// the accuracy is higher at this batch.
  Estimate loss;
};

/// Losses of points that differ only in the global batch.
struct AccuracyLosses {
  /// Key of the points. It contains the GPU count if all batches ran on the same number of GPUs.
  CurveKey key;
  std::int64_t first_batch = 0;
  double first_accuracy = 0;
  std::vector<BatchLoss> losses;  ///< one or more, by ascending batch
  /// Result of the test of the largest batch. Finding::Faster means that its accuracy differs
  /// significantly from that of the smallest batch. Finding::TooFewRepeats also means that the
  /// difference would be significant alone, but cannot be so after Holm's adjustment.
  Finding finding = Finding::TooFewRepeats;
  /// Sentence on a condition that differs between the runs (ScalingCurve::mixed).
  std::string mixed = {};
};

/// Returns the losses of all points with a known global batch, grouped as in the figure of accuracy
/// by batch: along a scaling curve, or by GPU count if the global batch is fixed along curves.
/// Groups with a single batch are left out. Mann and Whitney's test compares the largest batch of
/// each group with the smallest one, with Holm's adjustment for all groups.
std::vector<AccuracyLosses> accuracy_losses(const std::vector<AccuracyPoint>& points);

}  // namespace dlscale::analysis
