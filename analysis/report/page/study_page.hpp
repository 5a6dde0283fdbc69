// SPDX-License-Identifier: Apache-2.0
// Collects the content of a study's report: facts about the study, warnings, tables and figures.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/answer/study_answer.hpp"
#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

struct NamedFigure {
  std::string id;  ///< file name without extension: letters, digits, hyphens
  Figure figure;
};

/// Largest number of rows of a table by epoch or rank in a report.
inline constexpr std::size_t kMostDetailedRows = 500;

struct StudyPage {
  std::string title;
  StudyAnswer answer = {};  ///< answers to the questions of the study
  /// Name and text of each fact about the study, e.g. "baseline" and "4 GPUs (1 node)".
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> warnings;  ///< warnings, most serious first
  Report report;                      ///< tables that have rows
  std::vector<NamedFigure> figures;   ///< all figures that have points
};

/// Returns the content of a report: the tables of all metrics and all kinds of figures, without
/// those that would be empty and without tables by epoch or rank that are too long to be read. `by`
/// names the axes whose values are compared within a table (see make_report). Before each table and
/// figure, calls `on_part` with its name and with the share of tables and figures that were started
/// before, from 0 to 1.
StudyPage study_page(const Frame& frame, const AnalysisOptions& options,
                     const std::vector<std::string>& by = {},
                     const std::function<void(const std::string&, double)>& on_part = {});

/// Returns the answers, the facts, the tables of the first metric and one figure, for a page that
/// is written often. The result has no tables and no figures if the study has no results yet.
StudyPage brief_page(const Frame& frame, const AnalysisOptions& options);

}  // namespace dlscale::analysis
