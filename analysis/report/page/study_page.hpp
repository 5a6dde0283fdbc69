// SPDX-License-Identifier: Apache-2.0
// Collects the content of a study's report: facts, warnings, tables and figures.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

struct NamedFigure {
  std::string id;  ///< file name without extension: letters, digits, hyphens
  Figure figure;
};

struct StudyPage {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< e.g. "baseline", "4 GPUs (1 node)"
  std::vector<std::string> warnings;                       ///< warnings, most serious first
  Report report;                                           ///< tables with rows
  std::vector<NamedFigure> figures;                        ///< figures with series
};

/// Returns the page with every metric and every kind of figure that has content. See make_report
/// for `by`. Calls `on_part` with the name of the next part and the completed share, 0 to 1.
StudyPage study_page(const Frame& frame, const AnalysisOptions& options,
                     const std::vector<std::string>& by = {},
                     const std::function<void(const std::string&, double)>& on_part = {});

}  // namespace dlscale::analysis
