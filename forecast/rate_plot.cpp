// SPDX-License-Identifier: Apache-2.0
#include "forecast/rate_plot.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/report/figures/rate_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/study/derive.hpp"
#include "planner/study/outlines.hpp"
#include "planner/study/study_reader.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

std::string text_of_study(const std::string& file) {
  if (fs::is_directory(file)) {
    throw base::UsageError(fmt::format(
        "{} is a folder, and learning rates are drawn of a study: dlscale plot lr STUDY.toml",
        file));
  }
  try {
    return base::read_text_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

}  // namespace

analysis::Figure figure_of_rates(const RateChoice& choice) {
  const planner::Study study =
      planner::read_study(text_of_study(choice.study), choice.study, choice.overrides);
  const std::vector<planner::Point> points = planner::expand(study).points;
  contract::Plan plan;
  plan.study = study.name;
  for (const planner::Matrix& matrix : study.matrices) add_axes(matrix, plan.axes);
  plan.runs = outlines(study, points);
  const workspace::RunIds meant = workspace::select_runs(plan, choice.runs);
  std::vector<analysis::RatedRun> runs;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (!meant.contains(plan.runs[i].run_id)) continue;
    const std::size_t point = i / static_cast<std::size_t>(study.repeats);
    contract::RunSpec run = run_of(study, points[point]);
    const auto steps = planner::steps_per_epoch(run);
    runs.push_back({std::move(run), steps});
    i = (point + 1) * static_cast<std::size_t>(study.repeats) - 1;  // repetitions learn alike
  }
  return analysis::rate_figure(study.name, runs);
}

}  // namespace dlscale::forecast
