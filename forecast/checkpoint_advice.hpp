// SPDX-License-Identifier: Apache-2.0
// Computes optimal checkpoint intervals from the time to write a checkpoint and the failure rate of
// nodes.
#pragma once

#include <string>

#include "analysis/report/report.hpp"
#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

struct CheckpointQuestion {
  /// Mean time between failures of one node in hours. 0 means that the user did not request advice.
  double node_mtbf_h = 0;
  /// Time to write a checkpoint in seconds ("90"), or a plan folder whose runs recorded this time.
  std::string write;
};

/// Returns a row for each GPU count with the optimal intervals by Young and by Daly, and the time
/// lost with Daly's interval and with the settings of the study. Throws base::UsageError if
/// `question.write` is neither a number above 0 nor a folder with checkpoints for the models and
/// framework styles of the study.
analysis::Table checkpoint_table(const StudyPrediction& study, const CheckpointQuestion& question);

}  // namespace dlscale::forecast
