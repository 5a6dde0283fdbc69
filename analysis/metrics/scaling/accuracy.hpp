// SPDX-License-Identifier: Apache-2.0
// Computes the final test accuracy for each global batch, and the gap between a run's results on
// the training set and on the test set.
#pragma once

#include <optional>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

// Final test accuracy by global batch. It shows how much accuracy a large batch costs.

/// Final accuracies of the repeats of one point (see RunPoint in
/// analysis/metrics/scaling/run_points.hpp).
struct AccuracyPoint {
  CurveKey key;  ///< key of the scaling curve
  int gpus = 1;
  std::int64_t batch_per_gpu = 0;
  std::int64_t global_batch = 0;
  double lr_peak = 0;
  Estimate final_accuracy;
  double best_accuracy = 0;            ///< median of the repeats' best accuracies
  std::vector<const RunRow*> repeats;  ///< repeats with an accuracy
  std::size_t diverged = 0;  ///< number of diverged repeats, which `repeats` does not contain
};

/// Returns the points with an accuracy, in the order of the curves and by ascending GPU count
/// within a curve.
std::vector<AccuracyPoint> accuracy_points(const Frame& frame);
/// Returns the points at which every ended repeat diverged. These points have no accuracy, and
/// their `repeats` are empty.
std::vector<AccuracyPoint> diverged_points(const Frame& frame);

/// Returns the key of the line over the global batch to which each point belongs. Along a line, the
/// batch grows with the GPU count. If the global batch is fixed along curves, or if a curve has a
/// single GPU count, the points with equal GPU counts and different batches form a line instead.
std::vector<CurveKey> batch_line_keys(const std::vector<AccuracyPoint>& points);

Repeats repeats_of(const std::vector<AccuracyPoint>& points);

// Difference between a run's results on the test set and on the training set.

/// Loss or accuracy on the training set and on the test set, for the epoch of the last evaluation.
struct GeneralisationGap {
  double train = 0;
  double test = 0;
  double gap = 0;  ///< difference; positive if the result on the test set is worse
};

/// Returns the gap test loss - training loss. The training loss is the mean over the last evaluated
/// epoch. It includes data augmentation and label smoothing if the study uses them. Returns an
/// empty value if one of the two losses is missing.
std::optional<GeneralisationGap> loss_gap(const RunRow& run);

/// Returns the gap training accuracy - test accuracy. The training accuracy is the metric
/// "train_accuracy" of the last evaluation, or else the training accuracy of the last evaluated
/// epoch. Returns an empty value if the run recorded neither.
std::optional<GeneralisationGap> accuracy_gap(const RunRow& run);

}  // namespace dlscale::analysis
