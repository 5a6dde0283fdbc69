// SPDX-License-Identifier: Apache-2.0
// Computes optimal checkpoint intervals from the time to write a checkpoint and the failure rate of
// nodes.
#pragma once

#include <string>

#include "analysis/report/report.hpp"
#include "forecast/study_prediction.hpp"

namespace dlscale::forecast {

struct CheckpointQuestion {
  double node_mtbf_h = 0;  ///< mean time between failures of one node; 0: not requested
  std::string write;       ///< "90" seconds, or a plan folder with recorded checkpoints
};

/// Returns a row for each GPU count: the intervals of Young and Daly, and the lost time at Daly's
/// interval and with the settings of the study. Throws base::UsageError if the time to write a
/// checkpoint is not a positive number and not a folder with checkpoints for the study's models and
/// frameworks.
analysis::Table checkpoint_table(const StudyPrediction& study, const CheckpointQuestion& question);

}  // namespace dlscale::forecast
