// SPDX-License-Identifier: Apache-2.0
// The configuration to take with a budget of GPUs.
#pragma once

#include <optional>
#include <vector>

#include "analysis/metrics/scaling/verdict.hpp"

namespace dlscale::analysis {

struct Recommendation {
  CurveKey work;        ///< model, data set and batch: recommended is for them alone
  int budget_gpus = 1;  ///< a GPU count that was measured
  Contestant fastest;   ///< of the points with at most so many GPUs, by the median
  /// The others in the budget that the repeats cannot tell from it (Mann-Whitney, Holm among those
  /// of this budget), by ascending GPU count.
  std::vector<Contestant> as_fast;
  /// Those of which no result of so few repeats could tell whether they are slower.
  std::vector<Contestant> untested;
  /// Kruskal and Wallis' of all in the budget being equally fast; nothing where no configuration
  /// has repeats, or there is only one.
  std::optional<double> equal_p;
};

/// By work in the order of the curves, then by ascending budget.
std::vector<Recommendation> recommendations(const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
