// SPDX-License-Identifier: Apache-2.0
// Draws the planned learning rates of a study's runs over their epochs. The planned learning rates
// are known before training.
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
  /// Number of optimizer steps in an epoch. Empty if the number of training samples is unknown.
  std::optional<std::int64_t> steps_per_epoch;
};

/// Returns a figure with one line for each distinct learning-rate curve of the runs. Labels contain
/// the settings that distinguish the curves. A line has a point for every optimizer step. For runs
/// with many steps, it has points at evenly spaced steps and at the last step. A run of another
/// training program has no line if the study gives no learning rate or no number of epochs for the
/// run.
Figure rate_figure(const std::string& study, const std::vector<RatedRun>& runs);

}  // namespace dlscale::analysis
