// SPDX-License-Identifier: Apache-2.0
// Opens a collected study for analysis, with its baseline and selected runs.
#pragma once

#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/report/tables/tables.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/source_folders.hpp"

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
  /// Arguments of the command line after `folder`, which find_sources() divides into plan folders
  /// and runs.
  std::vector<std::string> arguments = {};
  /// Plan folders that are analysed together, with an axis `source`. Empty if only `folder` is
  /// analysed.
  std::vector<SourceFolder> sources = {};
};

struct ChosenStudy {
  analysis::Frame frame;
  analysis::AnalysisOptions options;
  /// Plan folders of the runs. The name of a folder is RunRow::source, which is empty if the study
  /// has one folder.
  std::vector<SourceFolder> folders;
  /// Message on selected runs that completed without measurements, see nothing_read(). Empty
  /// without such runs.
  std::string nothing_read;
  /// Message of outdated_results() on the folders. Empty if the results are up to date.
  std::string outdated;
};

/// Returns a message if files of the plan folder changed after the last collect, so that the
/// database lacks results. The message names the command that reads them. Returns an empty text if
/// no file has changed. The database must exist.
std::string outdated_results(const contract::PlanDir& folder);

/// Throws base::UsageError if the efficiency is not above 0 and at most 1. The message names the
/// option --min-efficiency.
void check_min_efficiency(double efficiency);

/// Divides `choice.arguments` into `choice.sources` and `choice.runs`. If there are sources,
/// `choice.folder` becomes the folder of the first source. Throws what divide_arguments throws.
void find_sources(StudyChoice& choice);

/// Returns the selected runs. Their baselines are found among all runs of the study. If the choice
/// has several sources, the frame contains the runs of all sources (analysis::join_frames). Throws
/// base::UsageError for an invalid baseline, for a baseline that no curve of the study has, for an
/// unknown outlier policy, for a source without results, and for sources whose studies have
/// different baselines. Also throws what check_min_efficiency, select_runs and join_frames throw.
ChosenStudy open_study(const StudyChoice& choice);

}  // namespace dlscale::workspace
