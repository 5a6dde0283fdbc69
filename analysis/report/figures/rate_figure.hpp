// SPDX-License-Identifier: Apache-2.0
// The learning rates of a study's runs over their epochs: known before any of them is trained.
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
  std::optional<std::int64_t> steps_per_epoch;  ///< nothing: how many samples there are is unknown
};

/// A line for each distinct curve of contract::LearningRateCurve, named by what tells them apart:
/// at every optimizer step, of long runs at evenly spaced ones and the last. Runs of other trainers
/// whose study says no rate or no epochs have none.
Figure rate_figure(const std::string& study, const std::vector<RatedRun>& runs);

}  // namespace dlscale::analysis
