// SPDX-License-Identifier: Apache-2.0
// Draws the learning rates of a study's runs over their epochs, which are known before training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

struct RatedRun {
  contract::RunSpec run;
  std::optional<std::int64_t> steps_per_epoch;  ///< empty if the number of samples is unknown
};

/// Returns a figure with one line for each distinct curve of contract::LearningRateCurve, named by
/// the settings that distinguish the curves. A line has a point for every optimizer step. For long
/// runs it has evenly spaced steps and the last step. Runs of other trainers without a learning
/// rate or without epochs in the study have no line.
Figure rate_figure(const std::string& study, const std::vector<RatedRun>& runs);

}  // namespace dlscale::analysis
