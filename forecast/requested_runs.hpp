// SPDX-License-Identifier: Apache-2.0
// Plans and predicts the study for which computing time is requested.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/proposal/requested_study.hpp"
#include "forecast/measured_throughputs.hpp"

namespace dlscale::forecast {

struct RequestChoice {
  std::string study;  ///< study file; empty: no study is requested
  std::string site = "local";
  std::vector<std::string> overrides;  ///< -S arguments: key=value
  /// Calibration for the predictions. Empty means the calibration of the study.
  std::string calibration;
};

/// Returns the runs of the requested study with their nodes, and with their predicted times and
/// memory where these can be predicted. The times are those of `dlscale plan -n`. Without a
/// calibration they come from data sheets, as in `dlscale predict`. If a training script of the
/// user does the training and no calibration is named, the times come from the throughputs of
/// `results`, the measured runs that `describe` describes. Only measured runs that did the same
/// work count (MeasuredThroughputs). Writes no files. Throws what planner::Planner throws, and
/// base::UsageError for a study without runs.
analysis::RequestedStudy requested_study(const RequestChoice& choice,
                                         const analysis::Frame& results,
                                         const MeasuredThroughputs::Describe& describe);

}  // namespace dlscale::forecast
