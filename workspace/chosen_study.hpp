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
  std::string baseline;  ///< baseline from the command line; empty = baseline of the study
  bool mixed = false;
  std::string outliers = "none";
  std::string warmup = "marked";
  /// Smallest parallel efficiency at which a number of GPUs counts as worthwhile.
  double min_efficiency = analysis::kWorthwhileEfficiency;
  SelectionChoice runs;
};

struct ChosenStudy {
  analysis::Frame frame;
  analysis::AnalysisOptions options;
  /// Message on selected runs that completed without measurements, see nothing_read(). Empty
  /// without such runs.
  std::string nothing_read;
};

/// Throws base::UsageError if the efficiency is not above 0 and at most 1. The message names the
/// option --min-efficiency.
void check_min_efficiency(double efficiency);

/// Returns the selected runs. Their baselines are found among all runs of the study. Throws
/// base::UsageError for an invalid baseline, for a baseline that no curve of the study has, and for
/// an unknown outlier policy. Also throws what check_min_efficiency and select_runs throw.
ChosenStudy open_study(const StudyChoice& choice);

}  // namespace dlscale::workspace
