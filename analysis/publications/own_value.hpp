// SPDX-License-Identifier: Apache-2.0
// A point of one's own runs, and its values in a publication's definitions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct OwnPoint {
  std::map<std::string, std::string> axes;  ///< conditions, axes, counts and batches, as texts
  const ScalingCurve* curve = nullptr;
  const CurvePoint* point = nullptr;
};

/// Runs on CPUs have cores where others have gpus.
std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves);

/// The value at that point, in base units, computed as the publication does it: its formula of
/// throughput where runs recorded loading and computing, efficiency and speed-up against its
/// baseline. Empty where the runs cannot tell. Intervals are those of medians (n < 6: the range);
/// values by another formula have none.
std::optional<Estimate> own_value(const Publication& publication, const Published& published,
                                  const OwnPoint& own);

}  // namespace dlscale::analysis
