// SPDX-License-Identifier: Apache-2.0
// Computes, from the user's results, the quantities that a publication states. The computation
// follows the definitions of the publication.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/publications/reference_study.hpp"

namespace dlscale::analysis {

struct OwnPoint {
  /// Values of all axes as text, including conditions, counts and batch sizes.
  std::map<std::string, std::string> axes;
  const ScalingCurve* curve = nullptr;
  const CurvePoint* point = nullptr;
};

/// Returns the points of all curves with their axes. A point that ran on CPUs has the axis `cores`
/// instead of `gpus`.
std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves);

/// Returns the value of the published quantity that the user's runs reached at the point `own`, in
/// base units. Returns nothing if these runs lack the data. The value is computed as in the
/// publication:
/// - A throughput is computed by the formula of the publication, if there is one. The runs must
///   have recorded the times of loading and computing.
/// - An efficiency or a speed-up is relative to the baseline of the publication.
/// - Intervals are intervals of medians (for n < 6 repeats: ranges). Values computed from mean step
///   times have no interval.
std::optional<Estimate> measured_value(const Publication& publication, const Published& published,
                                       const OwnPoint& own);

}  // namespace dlscale::analysis
