// SPDX-License-Identifier: Apache-2.0
// What large batches cost in accuracy: final test accuracy by global batch, with repeats.
#pragma once

#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
