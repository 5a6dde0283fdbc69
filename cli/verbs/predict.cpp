// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale predict`, which predicts times, scaling and memory of a study.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/options/checkpoint_options.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "forecast/checkpoint_advice.hpp"
#include "forecast/prediction_report.hpp"
#include "forecast/saved_predictions.hpp"
#include "forecast/selected_predictions.hpp"
#include "planner/planner.hpp"
#include "workspace/resources.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kMostGpus = 1'000'000;
// Value of --calibration that selects data sheets even if the study names a calibration.
constexpr const char* kNoCalibration = "none";

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

int predict(const PredictOptions& options) {
  if (options.request.study.empty()) {
    throw base::UsageError("study is required; see dlscale predict --help");
  }
  const analysis::ReportWriter& writer = analysis::find_report_writer(options.format);
  const forecast::HardwareOverride what = forecast::read_hardware_override(options.what_if);
  const std::vector<forecast::Sweep> sweeps = forecast::read_sweeps(options.sweeps);
  forecast::NamedCalibration calibration;
  if (!options.calibration.empty() && options.calibration != kNoCalibration) {
    calibration = forecast::read_calibration(options.calibration);
  }
  if (!options.keep.empty() && !options.what_if.empty()) {
    throw base::UsageError(
        "--keep: cannot be combined with --what-if, because results are not compared with "
        "predictions for other hardware");
  }
  if (!options.checkpoints.write.empty() && options.checkpoints.node_mtbf_h <= 0) {
    throw base::UsageError(
        "--checkpoint-write: also give --mtbf HOURS, the mean time between failures of a node");
  }
  forecast::PredictedSelection selection;
  const planner::Planning planning =
      forecast::plan_selected(options.request, options.runs, selection);
  // An empty selection is only possible with --allow-empty.
  if (planning.plan.runs.empty() && options.runs.narrows()) return kExitOk;
  if (planning.plan.runs.empty()) throw base::UsageError("the study has no run to predict");
  if (options.calibration.empty()) calibration = forecast::calibration_of(planning.study);
  const fs::path share = workspace::share_folder();
  const forecast::PredictionFiles files{
      options.cards.empty() ? share / "cards" : fs::path(options.cards), share / "devices"};
  forecast::StudyPrediction study =
      forecast::predict_study(planning, files, what, calibration.measured, options.up_to);
  if (options.runs.narrows()) forecast::keep_selected(study, selection.points);
  if (const std::string text = forecast::override_text(what); !text.empty()) {
    study.notes.insert(study.notes.begin(), "what if: " + text);
  }
  analysis::Report report = forecast::prediction_report(study, sweeps);
  if (options.checkpoints.node_mtbf_h > 0) {
    // The runs of the plan folder may have recorded the time to write a checkpoint.
    forecast::CheckpointQuestion question = options.checkpoints;
    if (question.write.empty()) question.write = options.keep;
    report.tables.push_back(forecast::checkpoint_table(study, question));
  }
  std::cout << writer.render(report);
  if (!options.folder.empty()) forecast::write_report(options.folder, study, sweeps, report);
  if (!options.keep.empty()) {
    const contract::PlanDir folder{fs::path(options.keep)};
    fmt::print(stderr, "{}", forecast::keep_study(study, calibration.digest, folder));
  }
  return kExitOk;
}

Action define_predict(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  app.add_option("study", options->request.study, "study file")->type_name(value_kind::kStudy);
  app.add_option("--site", options->request.site, "name of a site, or a site file (*.toml)")
      ->type_name(value_kind::kSite)
      ->capture_default_str();
  add_selection_options(app, options->runs, RunArguments::none);
  app.add_option("-S,--set", options->request.overrides,
                 "set a key of the study, for example -S training.precision=bf16")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--calibration", options->calibration,
                 "file from dlscale calibrate with measured steps and all-reduces (default: the "
                 "calibration of the study). The word none selects data sheets")
      ->type_name(value_kind::kFile);
  app.add_option("--keep", options->keep,
                 "also save the predictions in this plan folder. dlscale compare DIR --predicted "
                 "compares them with results")
      ->type_name(value_kind::kFolder);
  app.add_option("--what-if", options->what_if,
                 "change the hardware: gpu=NAME (or a unique prefix), link=400Gbps, latency=2us, "
                 "peak=100TFLOPS, memory=2000GB/s, capacity=16GiB, context=150MiB")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option("--sweep", options->sweeps,
                 "also vary peak, memory, link, gpus, batch or all, optionally with values: "
                 "link=1,10,100")
      ->type_name("WHAT[=LIST]")
      ->allow_extra_args(false);
  app.add_option("--up-to", options->up_to, "largest GPU count to predict")
      ->check(CLI::Range(1, kMostGpus))
      ->capture_default_str();
  add_checkpoint_options(app, options->checkpoints);
  app.add_option("--cards", options->cards, "folder with model cards (default: the shipped cards)")
      ->type_name(value_kind::kFolder);
  app.add_option("--format", options->format, "output format")
      ->type_name(one_of(base::names(analysis::report_writers())))
      ->capture_default_str();
  app.add_option("-o,--output", options->folder, "also write tables and figures into this folder")
      ->type_name(value_kind::kFolder);
  return [options] { return predict(*options); };
}

}  // namespace

extern const CommandEntry predict_entry;
const CommandEntry predict_entry{
    "predict", "Predict times, efficiency and memory of a study before submitting it",
    "dlscale predict study.toml --site juwels-booster\n"
    "  dlscale predict study.toml --calibration measured.json --keep study\n"
    "  dlscale predict study.toml --site altec --what-if link=10Gbps --sweep all -o predicted",
    &define_predict};

}  // namespace dlscale::cli
