// SPDX-License-Identifier: Apache-2.0
// `dlscale predict`: how long a study will take, how well it will scale, whether it fits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/gnuplot.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/options/checkpoint_options.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "forecast/checkpoint_advice.hpp"
#include "forecast/kept_predictions.hpp"
#include "forecast/named_calibration.hpp"
#include "forecast/prediction_figures.hpp"
#include "forecast/prediction_tables.hpp"
#include "forecast/selected_predictions.hpp"
#include "planner/planner.hpp"
#include "workspace/resources.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kMostGpus = 1'000'000;
constexpr const char* kNoCalibration = "none";  // data sheets, whatever the study names

struct PredictOptions {
  planner::PlanRequest request;
  workspace::SelectionChoice runs;
  std::string calibration;
  std::string cards;
  std::vector<std::string> what_if;
  std::vector<std::string> sweeps;
  int up_to = 4096;
  std::string format = "text";
  std::string folder;
  std::string keep;
  forecast::CheckpointQuestion checkpoints;
};

/// Into the folder of the study's plan, for scoring.
void keep(const PredictOptions& options, const forecast::PredictedStudy& study,
          const std::string& calibration) {
  const contract::PlanDir folder{fs::path(options.keep)};
  const auto predictions =
      forecast::run_predictions(study, calibration, base::SystemClock().unix_s());
  const forecast::KeptPredictions kept = forecast::keep_predictions(predictions, folder);
  if (kept.written + kept.known == 0) {
    throw base::UsageError(
        fmt::format("--keep {}: its plan has none of the points of {}: plan this study there first",
                    options.keep, study.study));
  }
  fmt::print(stderr, "{}", forecast::to_text(kept, folder));
}

analysis::Report report_of(const forecast::PredictedStudy& study,
                           const std::vector<forecast::Sweep>& sweeps) {
  analysis::Report report{
      {forecast::times_table(study), forecast::knee_table(study), forecast::memory_table(study)}};
  if (report.tables.back().rows.empty()) report.tables.pop_back();  // of devices without data sheet
  std::string nothing;
  for (const forecast::Sweep& sweep : sweeps) {
    analysis::Table table = forecast::sweep_table(study, sweep);
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

/// By the names of their files.
std::vector<std::pair<std::string, analysis::Figure>> figures_of(
    const forecast::PredictedStudy& study, const std::vector<forecast::Sweep>& sweeps) {
  std::vector<std::pair<std::string, analysis::Figure>> figures{
      {"predicted-efficiency", forecast::predicted_efficiency(study)},
      {"predicted-throughput", forecast::predicted_throughput(study)},
      {"predicted-epoch-time", forecast::predicted_epoch_time(study)}};
  for (const forecast::Sweep& sweep : sweeps) {
    analysis::Figure figure = forecast::sweep_figure(study, sweep);
    if (figure.series.empty()) continue;
    figures.emplace_back("sweep-" + sweep.name + "-figure", std::move(figure));
  }
  return figures;
}

/// A file for each table and its format, and the figures.
void write_files(const PredictOptions& options, const forecast::PredictedStudy& study,
                 const std::vector<forecast::Sweep>& sweeps, const analysis::Report& report) {
  const fs::path folder = options.folder;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw base::UsageError(
        fmt::format("--output {}: cannot be made: {}", options.folder, failed.message()));
  }
  for (const char* format : {"csv", "markdown", "latex"}) {
    const analysis::ReportWriter& writer = analysis::find_report_writer(format);
    for (const analysis::Table& table : report.tables) {
      base::write_file_atomically(folder / (table.id + "." + writer.extension),
                                  writer.render_alone(table));
    }
  }
  const auto figures = figures_of(study, sweeps);
  std::string problem;
  for (const auto& [name, figure] : figures) {
    std::string found = analysis::write_figure(figure, folder / name, {"svg"}).problem;
    if (!found.empty()) problem = std::move(found);
  }
  if (!problem.empty()) fmt::print(stderr, "dlscale: {}\n", problem);
  fmt::print(stderr, "dlscale: {} tables and {} figures in {}\n", report.tables.size(),
             figures.size(), options.folder);
}

/// Runs that are kept in a folder may have said there how long it took to save their state.
forecast::CheckpointQuestion question_of(const PredictOptions& options) {
  forecast::CheckpointQuestion question = options.checkpoints;
  if (question.write.empty()) question.write = options.keep;
  return question;
}

/// Plans the curves of the selected runs, which `selection` names afterwards.
planner::Planning plan_selected(const PredictOptions& options,
                                forecast::PredictedSelection& selection) {
  planner::Resources resources = workspace::shipped_resources();
  resources.cards.reset();  // what does not fit is shown, not left out
  planner::PlanRequest request = options.request;
  if (options.runs.narrows()) {
    request.choose = [&](const contract::Plan& plan) {
      selection = forecast::select_predictions(plan, options.runs);
      return selection.runs;
    };
  }
  return planner::make_plan(request, resources);
}

int predict(const PredictOptions& options) {
  if (options.request.study.empty()) {
    throw base::UsageError("study is required; see dlscale predict --help");
  }
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const forecast::WhatIf what = forecast::read_what_if(options.what_if);
  const std::vector<forecast::Sweep> sweeps = forecast::read_sweeps(options.sweeps);
  forecast::NamedCalibration calibration;
  if (!options.calibration.empty() && options.calibration != kNoCalibration) {
    calibration = forecast::read_calibration(options.calibration);
  }
  if (!options.keep.empty() && !options.what_if.empty()) {
    throw base::UsageError("--keep and --what-if: other hardware is nothing to score runs by");
  }
  if (!options.checkpoints.write.empty() && options.checkpoints.node_mtbf_h <= 0) {
    throw base::UsageError("--checkpoint-write: how often a node fails is missing: --mtbf HOURS");
  }
  forecast::PredictedSelection selection;
  const planner::Planning planning = plan_selected(options, selection);
  if (planning.plan.runs.empty() && options.runs.narrows()) return kExitOk;  // --allow-empty
  if (planning.plan.runs.empty()) throw base::UsageError("the study has no run to predict");
  if (options.calibration.empty()) calibration = forecast::calibration_of(planning.study);
  const fs::path share = workspace::share_folder();
  const forecast::PredictionFiles files{
      options.cards.empty() ? share / "cards" : fs::path(options.cards), share / "devices"};
  forecast::PredictedStudy study =
      forecast::predict_study(planning, files, what, calibration.measured, options.up_to);
  if (options.runs.narrows()) forecast::keep_selected(study, selection.points);
  if (const std::string text = forecast::text_of(what); !text.empty()) {
    study.notes.insert(study.notes.begin(), "what if: " + text);
  }
  analysis::Report report = report_of(study, sweeps);
  if (options.checkpoints.node_mtbf_h > 0) {
    report.tables.push_back(forecast::checkpoint_table(study, question_of(options)));
  }
  std::cout << writer.render(report);
  if (!options.folder.empty()) write_files(options, study, sweeps, report);
  if (!options.keep.empty()) keep(options, study, calibration.digest);
  return kExitOk;
}

Action define_predict(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  app.add_option("study", options->request.study, "study file")->type_name(value_kind::kStudy);
  app.add_option("--site", options->request.site, "a name of sites/, or a file")
      ->type_name(value_kind::kSite)
      ->capture_default_str();
  add_selection_options(app, options->runs, RunArguments::none);
  app.add_option("-S,--set", options->request.overrides, "change a value: dotted.key=value")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--calibration", options->calibration,
                 "what dlscale calibrate wrote: measured steps and all-reduces (default: the "
                 "study's; none: data sheets)")
      ->type_name(value_kind::kFile);
  app.add_option("--keep", options->keep,
                 "also keep the predictions in this folder, which has the study's plan: dlscale "
                 "compare DIR --predicted says later how wrong they were")
      ->type_name(value_kind::kFolder);
  app.add_option("--what-if", options->what_if,
                 "other hardware: gpu=NAME (or how it begins), link=400Gbps, latency=2us, "
                 "peak=100TFLOPS, memory=2000GB/s, capacity=16GiB, context=150MiB")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--sweep", options->sweeps,
                 "also vary peak, link, gpus, batch or all; values may follow: link=1,10,100")
      ->type_name("WHAT[=LIST]")
      ->allow_extra_args(false);
  app.add_option("--up-to", options->up_to, "predict up to so many GPUs")
      ->check(CLI::Range(1, kMostGpus))
      ->capture_default_str();
  add_checkpoint_options(app, options->checkpoints);
  app.add_option("--cards", options->cards,
                 "folder of model cards (default: those that come with dlscale)")
      ->type_name(value_kind::kFolder);
  app.add_option("--format", options->format, "how to write it")
      ->type_name(one_of(base::names(analysis::report_writers())))
      ->capture_default_str();
  app.add_option("-o,--output", options->folder, "also write tables and figures into this folder")
      ->type_name(value_kind::kFolder);
  return [options] { return predict(*options); };
}

}  // namespace

extern const CommandEntry predict_entry;
const CommandEntry predict_entry{
    "predict", "Predict times, efficiency and memory of a study before it is queued",
    "dlscale predict study.toml --site juwels-booster\n"
    "  dlscale predict study.toml --calibration measured.json --keep study\n"
    "  dlscale predict study.toml --site altec --what-if link=10Gbps --sweep all -o predicted",
    &define_predict};

}  // namespace dlscale::cli
