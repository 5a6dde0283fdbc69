// SPDX-License-Identifier: Apache-2.0
// Recommends the configuration to use with a budget of GPUs.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

struct Recommendation {
  CurveKey work;        ///< model, data set and batch that the recommendation is for
  int budget_gpus = 1;  ///< largest allowed GPU count, a measured one
  Contestant fastest;   ///< fastest point within the budget, by the median
  /// Other points in the budget that the repeats cannot distinguish from the fastest one
  /// (Mann-Whitney, adjusted by Holm among the points of this budget), by ascending GPU count.
  std::vector<Contestant> as_fast;
  /// Points with so few repeats that no result could show whether they are slower.
  std::vector<Contestant> untested;
  /// p value of Kruskal and Wallis' test that all points in the budget are equally fast. Empty if
  /// no configuration has repeats or if there is only one configuration.
  std::optional<double> equal_p;
};

/// Returns the recommendations by work in the order of the curves, then by ascending budget.
std::vector<Recommendation> recommendations(const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
