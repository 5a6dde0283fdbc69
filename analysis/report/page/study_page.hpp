// SPDX-License-Identifier: Apache-2.0
// All that a study's report shows: what was run, what to beware of, every table and figure.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

struct NamedFigure {
  std::string id;  ///< file name without ending: letters, digits, hyphens
  Figure figure;
};

struct StudyPage {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  ///< "baseline", "4 GPUs (1 node)", …
  std::vector<std::string> warnings;                       ///< the most serious first
  Report report;                                           ///< tables with rows only
  std::vector<NamedFigure> figures;                        ///< with series only
};

/// Every metric and every kind of figure that has something to show. `by`: see make_report.
/// `on_part` is told what is next and how much is done, 0 to 1.
StudyPage study_page(const Frame& frame, const AnalysisOptions& options,
                     const std::vector<std::string>& by = {},
                     const std::function<void(const std::string&, double)>& on_part = {});

}  // namespace dlscale::analysis
