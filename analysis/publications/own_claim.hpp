// SPDX-License-Identifier: Apache-2.0
// Checks the claims of a publication (gain, times, best, rises, falls) on the user's results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/publications/measured_value.hpp"

namespace dlscale::analysis {

/// Returns true if the published entry claims something about several points.
bool is_claim(const Published& published);

/// Answer to the question whether a claim holds for the user's results. A claim without a value and
/// without a reason lacks points: why_no_series() states which.
struct OwnClaim {
  OwnValue value;
  /// Whether the claim holds for the user's results. Absent for claims with a number (gain, times),
  /// whose values are compared as other values are.
  std::optional<bool> holds;
  const OwnPoint* at = nullptr;  ///< last point of the compared series
};

/// Returns what the series of the measured or predicted point `question.own` shows about the claim.
/// A series of a measured point has measured points only, and a series of a predicted point has
/// predicted points only:
/// - gain, times: the change of the quantity from one point to the other,
/// - best: the value of the axis at which the throughput is highest,
/// - rises, falls: the ratio of the last to the first value. The claim holds if the ratio has this
///   direction and no value reverses the direction by more than the larger of 5 % and the variation
///   that the publication states.
OwnClaim own_claim(const Question& question);

/// Returns the reason why points that agree with the claim in all other stated axes form no series
/// along its axis. The points must not be empty, and must all be measured or all predicted.
/// `stated` contains the other axes in words.
std::string why_no_series(const Published& published, const std::string& stated,
                          const std::vector<const OwnPoint*>& points);

}  // namespace dlscale::analysis
