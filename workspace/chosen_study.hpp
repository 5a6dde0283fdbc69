// SPDX-License-Identifier: Apache-2.0
// Which collected study to analyse and against what.
#pragma once

#include <string>

#include "analysis/frame.hpp"
#include "analysis/report/tables/tables.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

struct StudyChoice {
  std::string folder = ".";
  std::string baseline;  ///< as typed; empty = the study's
  bool mixed = false;
  std::string outliers = "none";
  std::string warmup = "marked";
  SelectionChoice runs;
};

struct ChosenStudy {
  analysis::Frame frame;
  analysis::AnalysisOptions options;
};

/// The runs that are meant, with the baselines they have among all. Throws base::UsageError for a
/// baseline that is none, or that no curve of the study has, for an unknown outlier policy, and
/// what select_runs throws.
ChosenStudy open_study(const StudyChoice& choice);

}  // namespace dlscale::workspace
