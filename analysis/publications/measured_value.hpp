// SPDX-License-Identifier: Apache-2.0
// Computes, from the user's results, the quantities that a publication states. The computation
// follows the definitions of the publication.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/publications/own_point.hpp"

namespace dlscale::analysis {

/// Published quantity and a point of the user's study. The answer is the value of the quantity that
/// the study measured at this point.
struct Question {
  const Publication& publication;
  const Published& published;
  const OwnPoint& own;
  const std::vector<OwnPoint>& all;  ///< all points of the study, for ratios and comparisons
};

/// Answer to a question. Without an estimate, `missing` states the reason as a part of a sentence.
struct OwnValue {
  std::optional<Estimate> estimate;
  std::string missing;
};

/// Returns true if measured_value() can compute this quantity for runs that recorded it.
bool is_measurable(const Published& published);

/// Returns true if the quantity follows from the times of training steps, which a profile makes
/// longer.
bool follows_from_steps(const Published& published);

/// Returns the value of the published quantity that the user's runs measured at the point
/// `question.own`, in base units. The value is computed as in the publication:
/// - A throughput is computed by the formula of the publication, if there is one. The runs must
///   have recorded the times of loading and computing.
/// - An efficiency or a speed-up is relative to the baseline of the publication.
/// - Intervals are intervals of medians (for n < 6 repeats: ranges). Values computed from mean step
///   times have no interval.
OwnValue measured_value(const Question& question);

/// Returns the value at the planned or predicted point `question.own`, if the value follows from
/// the plan and from the sizes of the model and the data set: the data that an epoch transfers.
OwnValue computed_value(const Question& question);

/// Returns the point at which a published speed-up, efficiency or gain starts: the point that the
/// claim names in `from`, else the baseline of the publication, else the first point of the curve.
/// Returns null if the study lacks this point.
const OwnPoint* start_of_series(const Question& question);

/// Returns the efficiency that the publication's formula gives for a speed-up from `start` to
/// `own`. Computes the ends of the interval from the ends of the interval of the speed-up.
Estimate efficiency_by_definition(const Definition& definition, Estimate speedup,
                                  const OwnPoint& start, const OwnPoint& own);

}  // namespace dlscale::analysis
