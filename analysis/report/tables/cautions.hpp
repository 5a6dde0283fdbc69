// SPDX-License-Identifier: Apache-2.0
// What a reader must know before he believes a number: warnings that tables carry by themselves.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// Parts of a step that miss more than this share of its wall time, or have as much too many.
inline constexpr double kUnexplained = 0.03;
/// A share of an epoch's samples that were taken twice, or left out, worth a warning.
inline constexpr double kUnevenEpoch = 0.01;

/// "warning: single runs at gpus=4, 8: …"; nothing where each point was repeated, or none was
/// (describe_statistic says that).
std::string caution_of_single_runs(const std::vector<ScalingCurve>& curves);

/// What is concluded from points of which none was repeated; nothing where any was.
std::string caution_of_unrepeated(const std::vector<ScalingCurve>& curves);

/// Points whose epochs take samples twice to fill the last batch, or leave some out.
std::string caution_of_uneven_epochs(const std::vector<ScalingCurve>& curves);

/// Points whose parts do not add up to the wall time.
std::string caution_of_closure(const std::vector<Breakdown>& breakdowns);

/// Which parts of a step nobody measured, of no run or of some: they have no number. Empty where
/// all were. No warning: the time is in another part.
std::string describe_untold_parts(const std::vector<Breakdown>& breakdowns);

/// Adds those of them that say something.
void add_cautions(std::vector<std::string>& notes, const std::vector<ScalingCurve>& curves);

}  // namespace dlscale::analysis
