// SPDX-License-Identifier: Apache-2.0
// Report with one element of each kind.
#pragma once

#include <cmath>
#include <string>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::test {

/// Returns an efficiency figure with an ideal line and two points. One of the points has bounds.
inline analysis::Figure sample_figure() {
  analysis::Figure figure;
  figure.title = "Efficiency of made-up";
  figure.subtitle = "baseline 1 GPU";
  figure.notes = {"all runs: {unbalanced % note"};
  figure.x = {"gpus", "GPUs", 2, false, true};
  figure.y = {"efficiency", "efficiency", 0, true};
  figure.legend_title = "framework";
  figure.series = {{"ddp", {{1, 1, {}}, {2, 0.9, analysis::Bounds{0.85, 0.97}}}, 0, 0}};
  figure.ideal = analysis::Series{"ideal", {{1, 1, {}}, {2, 1, {}}}};
  return figure;
}

/// Returns a figure of two stacked bars, each with two parts and an empty part.
inline analysis::Figure sample_bars() {
  analysis::Figure figure;
  figure.title = "Parts";
  figure.x = {"run", ""};
  figure.y = {"ms", "time per step (ms)", 0, true};
  figure.categories = {"ddp, 1 GPU", "ddp_2 & 100 %"};
  figure.series = {{"forward", {{0, 3, {}}, {0, 4, {}}}, 0, 0},
                   {"backward", {{0, 6, {}}, {0, 7, {}}}, 1, 1},
                   {"bubble", {{0, 0, {}}, {0, 0, {}}}, 2, 2}};
  return figure;
}

inline analysis::StudyPage sample_page() {
  analysis::Table table;
  table.id = "sample";
  table.title = "Made up";
  table.notes = {"mode", "statistic", "a note below"};
  table.columns = {{"name", "name"},
                   {"step_time_s", "step", "ms", 1, 1000},
                   {"efficiency", "range", "", 2, 1, true}};
  table.rows.push_back({std::string("plain"), 0.01234, analysis::Bounds{0.9, 1.0}});
  table.rows.push_back({std::string("other"), -1.5, {}});
  table.rows.push_back({std::string("third"), std::nan(""), {}});
  analysis::StudyPage page;
  page.title = "made-up";
  page.facts = {{"mode", "weak scaling"}, {"baseline", "1 GPU"}};
  page.warnings = {"one run per point"};
  page.report.tables = {table};
  page.figures = {{"efficiency", sample_figure()}, {"breakdown", sample_bars()}};
  return page;
}

}  // namespace dlscale::test
