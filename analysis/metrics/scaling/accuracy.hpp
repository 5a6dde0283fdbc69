// SPDX-License-Identifier: Apache-2.0
// What large batches cost in accuracy, and how much worse a run is on the test set than on what it
// was trained on.
#pragma once

#include <optional>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// What large batches cost in accuracy: final test accuracy by global batch, with repeats.

/// Repetitions of one point (analysis/metrics/scaling/run_points.hpp).
struct AccuracyPoint {
  CurveKey key;  ///< as of the scaling curve
  int gpus = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t global_batch = 0;
  double lr_peak = 0;
  Estimate final_accuracy;
  double best_accuracy = 0;            ///< median of the repeats' best
  std::vector<const RunRow*> repeats;  ///< with an accuracy
  std::size_t diverged = 0;            ///< further repeats, which have none
};

/// In the order of the curves, by ascending GPU count within one.
std::vector<AccuracyPoint> accuracy_points(const Frame& frame);
/// Of which every repeat that ended has diverged: no accuracy, and no repeats.
std::vector<AccuracyPoint> diverged_points(const Frame& frame);

Repeats repeats_of(const std::vector<AccuracyPoint>& points);

// How much worse a run is on the test set than on what it was trained on.

/// A quantity on both sets at the last evaluation.
struct GeneralisationGap {
  double train = 0;
  double test = 0;
  double gap = 0;  ///< positive where the test set is worse
};

/// Test loss - training loss. The training loss is the mean over the epoch that was evaluated, of
/// augmented and smoothed targets where a study says so; nothing where one of the two is missing.
std::optional<GeneralisationGap> loss_gap(const RunRow& run);

/// Training accuracy - test accuracy, of runs of which the last evaluation has a metric
/// "train_accuracy"; nothing for others.
std::optional<GeneralisationGap> accuracy_gap(const RunRow& run);

}  // namespace dlscale::analysis
