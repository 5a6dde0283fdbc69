// SPDX-License-Identifier: Apache-2.0
// How often the runs of a study should save their state, by how long that takes and how often
// nodes fail.
#pragma once

#include <string>

#include "analysis/report/report.hpp"
#include "forecast/predicted_study.hpp"

namespace dlscale::forecast {

struct CheckpointQuestion {
  double node_mtbf_h = 0;  ///< mean time between failures of one node; 0: nothing is asked
  std::string write;       ///< "90" seconds, or a plan folder whose runs have saved their state
};

/// A row for each count: the interval by Young and by Daly, what is lost at Daly's and as the study
/// has it. Throws base::UsageError where the time to save is missing: it is no number above 0, and
/// no folder in which a run of this study's models and frameworks has saved its state.
analysis::Table checkpoint_table(const PredictedStudy& study, const CheckpointQuestion& question);

}  // namespace dlscale::forecast
