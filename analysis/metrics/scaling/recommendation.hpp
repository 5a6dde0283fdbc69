// SPDX-License-Identifier: Apache-2.0
// Recommends the fastest configuration for a given maximum number of GPUs (the budget).
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

struct Recommendation {
  /// Model, data set and batch that the recommendation is for. Also contains `device` ("cpu" or
  /// "gpu") if some of the runs are on CPUs and others are not, and `source` in a joined frame.
  CurveKey work;
  int budget_gpus = 1;  ///< largest allowed GPU count, which is one of the measured counts
  Contestant fastest;   ///< fastest point within the budget, by the median
  /// Other points within the budget whose repeats are not significantly slower or faster than the
  /// fastest point, by ascending GPU count. The test is Mann and Whitney's, with Holm's adjustment
  /// for all points of this budget.
  std::vector<Contestant> as_fast;
  /// Points with too few repeats for a significant result of the test.
  std::vector<Contestant> untested;
  /// p value of the hypothesis that all points within the budget are equally fast: Mann and
  /// Whitney's test of two points, Kruskal and Wallis' test of more points. Empty if there is only
  /// one point or if every point has a single run.
  std::optional<double> equal_p;
  /// GPU counts of the fastest points of this work with any budget, by the median and by the mean
  /// of the repeats' times per sample.
  int best_gpus = 1, best_gpus_by_mean = 1;
};

/// Returns one recommendation for each work and each budget. Runs on CPUs and runs on GPUs are not
/// compared, because a budget counts either ranks on CPUs or GPUs. Runs of different plan folders
/// are not compared either, because their GPUs can be of different kinds. The works are in the
/// order of the curves, and the budgets of a work ascend.
std::vector<Recommendation> recommendations(const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
