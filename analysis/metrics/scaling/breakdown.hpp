// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes.
#pragma once

#include <array>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// One point of a curve, its repeats added up (shares are never averaged).
struct Breakdown {
  CurveKey key;
  int gpus = 1;
  std::size_t n = 0;
  double step_time_s = 0;                            ///< wall time of the slowest rank
  std::array<double, contract::kStepParts> share{};  ///< of the parts' sum; they add up to 1
  /// Sum of the parts over the wall time: 1 when the clock missed nothing and no rank was faster.
  double closure = 0;
  /// Whether anybody measured the part; the time of those that nobody did is in `other`.
  std::array<bool, contract::kStepParts> told = {};
  bool tells_steps = true;  ///< false: nobody says how many, and step_time_s is that of none
};

/// One per point of each curve whose runs recorded parts.
std::vector<Breakdown> breakdowns(const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
