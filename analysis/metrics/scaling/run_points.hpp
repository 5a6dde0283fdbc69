// SPDX-License-Identifier: Apache-2.0
// Repetitions of one point, put together.
#pragma once

#include <functional>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Different GPU counts are never pooled, even at the same global batch: learning rates follow the
/// GPU count.
struct RunPoint {
  CurveKey key;                        ///< as of the scaling curve
  std::vector<const RunRow*> repeats;  ///< at least one; in the plan's order, living in the Frame
  const RunRow& first() const { return *repeats.front(); }
};

/// Points of the runs that `fits` wants, in the order of the curves, by ascending GPU count within
/// one.
std::vector<RunPoint> run_points(const Frame& frame,
                                 const std::function<bool(const RunRow&)>& fits);

std::vector<CurveKey> keys_of(const std::vector<RunPoint>& points);
Repeats repeats_of(const std::vector<RunPoint>& points);

}  // namespace dlscale::analysis
