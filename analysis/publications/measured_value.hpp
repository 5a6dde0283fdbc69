// SPDX-License-Identifier: Apache-2.0
// Computes the values of a result point by the definitions of a publication.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct OwnPoint {
  std::map<std::string, std::string> axes;  ///< conditions, axes, counts and batches, as text
  const ScalingCurve* curve = nullptr;
  const CurvePoint* point = nullptr;
};

/// Runs on CPUs have `cores` instead of `gpus`.
std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves);

/// Returns the value at that point in base units, computed as in the publication: its formula of
/// throughput if the runs recorded loading and computing, and efficiency and speed-up against its
/// baseline. Empty if the runs lack the data. Intervals are those of medians (n < 6: the range).
/// Values by another formula have no interval.
std::optional<Estimate> measured_value(const Publication& publication, const Published& published,
                                       const OwnPoint& own);

}  // namespace dlscale::analysis
