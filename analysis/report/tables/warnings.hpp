// SPDX-License-Identifier: Apache-2.0
// Creates warnings about numbers in tables that may be unreliable.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Largest accepted difference between the sum of a step's parts and its wall time, as a share of
/// the wall time. A larger difference causes a warning.
inline constexpr double kUnexplained = 0.03;
/// Share of an epoch's samples that may be used twice or left out. A warning appears if the share
/// is this large or larger.
inline constexpr double kUnevenEpoch = 0.01;

/// Returns a warning about points that have a single run while other points were repeated, such as
/// "warning: single runs at gpus=4, 8: …". Returns an empty text if every point was repeated.
/// Returns an empty text also if no point was repeated, because describe_statistic reports this
/// case.
std::string caution_of_single_runs(const std::vector<ScalingCurve>& curves);

/// Returns a warning if no point was repeated, so that differences may be due to chance. Returns an
/// empty text if any point was repeated.
std::string caution_of_unrepeated(const std::vector<ScalingCurve>& curves);

/// Returns a warning about points whose epochs use samples twice to fill the last batch, or leave
/// samples out.
std::string caution_of_uneven_epochs(const std::vector<ScalingCurve>& curves);

/// Returns a warning about points at which the times of the parts of a step do not add up to the
/// wall time.
std::string caution_of_closure(const std::vector<Breakdown>& breakdowns);

/// Returns a note on the parts of a step that have no number at some or all points, because the
/// runs did not measure them. Returns an empty text if all parts were measured. This is a note
/// instead of a warning, because the time of these parts is included in the part `other`.
std::string describe_untold_parts(const std::vector<Breakdown>& breakdowns);

/// Adds the warnings about single runs and about uneven epochs, if they apply to the curves.
void add_cautions(std::vector<std::string>& notes, const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
