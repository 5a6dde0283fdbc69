// SPDX-License-Identifier: Apache-2.0
// Creates the warnings that tables show about the reliability of their numbers.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Largest difference between the sum of a step's parts and its wall time, as a share of the wall
/// time, without a warning.
inline constexpr double kUnexplained = 0.03;
/// Smallest share of an epoch's samples that were used twice or left out that causes a warning.
inline constexpr double kUnevenEpoch = 0.01;

/// Returns a warning such as "warning: single runs at gpus=4, 8: …". Returns an empty text if each
/// point was repeated or if no point was repeated, which describe_statistic reports.
std::string caution_of_single_runs(const std::vector<ScalingCurve>& curves);

/// Returns a warning for conclusions from points without repeats. Returns an empty text if any
/// point was repeated.
std::string caution_of_unrepeated(const std::vector<ScalingCurve>& curves);

/// Returns a warning for points whose epochs use samples twice to fill the last batch, or leave
/// samples out.
std::string caution_of_uneven_epochs(const std::vector<ScalingCurve>& curves);

/// Returns a warning for points whose parts do not add up to the wall time.
std::string caution_of_closure(const std::vector<Breakdown>& breakdowns);

/// Returns a note on the parts of a step that were not measured in all or in some runs and
/// therefore have no number. Returns an empty text if all parts were measured. The note is not a
/// warning, because their time is in another part.
std::string describe_untold_parts(const std::vector<Breakdown>& breakdowns);

/// Adds those warnings of this file about curves that are not empty: single runs and uneven epochs.
void add_cautions(std::vector<std::string>& notes, const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
