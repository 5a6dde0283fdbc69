// SPDX-License-Identifier: Apache-2.0
// Opens a collected study for analysis, with its baseline and selected runs.
#pragma once

#include <string>

#include "analysis/frame.hpp"
#include "analysis/report/tables/tables.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

struct StudyChoice {
  std::string folder = ".";
  std::string baseline;  ///< as given on the command line; empty: the baseline of the study
  bool mixed = false;
  std::string outliers = "none";
  std::string warmup = "marked";
  SelectionChoice runs;
};

struct ChosenStudy {
  analysis::Frame frame;
  analysis::AnalysisOptions options;
};

/// Returns the selected runs with their baselines among all runs. Throws base::UsageError for an
/// invalid baseline, for a baseline that no curve of the study has and for an unknown outlier
/// policy, and everything that select_runs throws.
ChosenStudy open_study(const StudyChoice& choice);

}  // namespace dlscale::workspace
