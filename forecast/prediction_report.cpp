// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_report.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "analysis/report/figures/figure_files.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "forecast/prediction_figures.hpp"
#include "forecast/prediction_tables.hpp"
#include "forecast/saved_predictions.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

/// Returns the figures of a prediction, each with the name of its file.
std::vector<std::pair<std::string, analysis::Figure>> figures_of(const StudyPrediction& study,
                                                                 const std::vector<Sweep>& sweeps) {
  std::vector<std::pair<std::string, analysis::Figure>> figures{
      {"predicted-efficiency", predicted_efficiency(study)},
      {"predicted-throughput", predicted_throughput(study)},
      {"predicted-epoch-time", predicted_epoch_time(study)}};
  for (const Sweep& sweep : sweeps) {
    analysis::Figure figure = sweep_figure(study, sweep);
    if (figure.series.empty()) continue;
    figures.emplace_back("sweep-" + sweep.name + "-figure", std::move(figure));
  }
  return figures;
}

}  // namespace

analysis::Report prediction_report(const StudyPrediction& study, const std::vector<Sweep>& sweeps) {
  analysis::Report report{{times_table(study), knee_table(study), memory_table(study)}};
  // The memory table is empty for devices without a data sheet.
  if (report.tables.back().rows.empty()) report.tables.pop_back();
  std::string nothing;
  for (const Sweep& sweep : sweeps) {
    analysis::Table table = sweep_table(study, sweep);
    if (!table.rows.empty()) {
      report.tables.push_back(std::move(table));
    } else {
      nothing = fmt::format("--sweep {}: {}", sweep.name, table.notes.back());
      if (sweeps.size() > 1) fmt::print(stderr, "dlscale: {}\n", nothing);
    }
  }
  if (sweeps.size() == 1 && !nothing.empty()) throw base::UsageError(nothing);
  return report;
}

void write_report(const fs::path& folder, const StudyPrediction& study,
                  const std::vector<Sweep>& sweeps, const analysis::Report& report) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw base::UsageError(
        fmt::format("--output {}: cannot be created: {}", folder.string(), failed.message()));
  }
  for (const char* format : {"csv", "markdown", "latex"}) {
    const analysis::ReportWriter& writer = analysis::find_report_writer(format);
    for (const analysis::Table& table : report.tables) {
      base::write_file_atomically(folder / (table.id + "." + writer.extension),
                                  writer.render_alone(table));
    }
  }
  const auto figures = figures_of(study, sweeps);
  for (const auto& [name, figure] : figures) analysis::write_figure(figure, folder / name, {"svg"});
  fmt::print(stderr, "dlscale: wrote {} tables and {} figures to {}\n", report.tables.size(),
             figures.size(), folder.string());
}

std::string keep_study(const StudyPrediction& study, const std::string& calibration,
                       const contract::PlanDir& folder) {
  const auto predictions = run_predictions(study, calibration, base::SystemClock().unix_s());
  const KeptPredictions kept = keep_predictions(predictions, folder);
  if (kept.written + kept.known == 0) {
    throw base::UsageError(
        fmt::format("--keep {}: its plan contains none of the points of {}: plan this study in "
                    "that folder first",
                    folder.root().string(), study.study));
  }
  return to_text(kept, folder);
}

}  // namespace dlscale::forecast
