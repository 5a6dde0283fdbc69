// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_figures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/report/figures/rate_figure.hpp"
#include "analysis/report/figures/roofline_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/model_card.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "forecast/prediction_tables.hpp"
#include "forecast/study_prediction.hpp"
#include "forecast/sweep_step.hpp"
#include "planner/study/derive.hpp"
#include "planner/study/outlines.hpp"
#include "planner/study/study_reader.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

std::string text_of_study(const std::string& file) {
  if (fs::is_directory(file)) {
    throw base::UsageError(
        fmt::format("{} is a folder, but learning rates are drawn from a study file: use dlscale "
                    "plot lr STUDY.toml",
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
    const contract::RunSpec& run = points[point].run;
    runs.push_back({run, planner::steps_per_epoch(run)});
    // All repetitions of a point have the same learning rates, so the other repetitions are
    // skipped.
    i = (point + 1) * static_cast<std::size_t>(study.repeats) - 1;
  }
  return analysis::rate_figure(study.name, runs);
}

namespace {

contract::ModelCard read_card(const std::string& file) {
  try {
    return contract::model_card_from_json(base::read_text_file(file), file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

/// Returns the shape of a sample for each run whose description can be read and states the shape.
analysis::SampleInputs inputs_of(const workspace::ChosenStudy& study) {
  std::map<std::string, std::filesystem::path> folders;
  for (const workspace::SourceFolder& source : study.folders) {
    folders.emplace(source.name, source.folder);
  }
  analysis::SampleInputs inputs;
  for (const analysis::RunRow& run : study.frame.runs) {
    try {
      const contract::PlanDir folder(folders.at(run.source));
      const std::filesystem::path file = folder.run(run_id_in_folder(run)).run_json();
      const contract::RunSpec spec =
          contract::run_spec_from_json(base::read_text_file(file), file.string());
      const auto shape = predict::sample_shape(spec.dataset);
      if (shape) inputs[run.run_id] = {contract::shape_text(shape->input), spec.model_options};
    } catch (const base::Error&) {  // `dlscale collect` has already reported this run.
    }
  }
  return inputs;
}

}  // namespace

analysis::Figure figure_of_roofline(const workspace::ChosenStudy& study,
                                    const RooflineChoice& choice) {
  if (choice.card.empty()) {
    throw base::UsageError(
        "a roofline needs the model's FLOPs and bytes: give --card FILE, which dlscale-train "
        "--describe writes");
  }
  if (!(choice.peak_tflops > 0 && choice.memory_gb_per_s > 0)) {
    throw base::UsageError(
        "a roofline needs the device's rates, above 0: give --peak TFLOP/s and --memory-bandwidth "
        "GB/s");
  }
  const contract::ModelCard card = read_card(choice.card);
  return roofline_figure(
      study.frame, study.options, card,
      {predict::teraflops(choice.peak_tflops), predict::gigabytes_per_s(choice.memory_gb_per_s)},
      inputs_of(study));
}

namespace {

/// Returns a dashed line with the label of a curve. The line has no points yet.
analysis::Series dashed(const StudyPrediction& study, const PredictedCurve& curve,
                        const analysis::Figure& figure) {
  analysis::Series series{.label = label_of(study, curve)};
  series.color = series.mark = figure.series.size();
  series.law = true;
  return series;
}

/// Returns a figure over GPU counts with a line for each curve. `band` returns the value and the
/// band of a point.
template <class BandOf>
analysis::Figure over_gpus(const StudyPrediction& study, analysis::FigureAxis y, BandOf band) {
  analysis::Figure figure{.subtitle = "on " + study.site,
                          .notes = prediction_basis(study),
                          .x = {.id = "gpus", .title = "GPUs", .log_base = 2},
                          .y = std::move(y)};
  for (const PredictedCurve& curve : study.curves) {
    analysis::Series series = dashed(study, curve, figure);
    for (const predict::CurvePoint& point : curve.over_gpus) {
      const predict::Band value = band(point);
      series.points.push_back({static_cast<double>(point.ranks.gpus), value.value,
                               analysis::Bounds{value.low, value.high}});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace

analysis::Figure predicted_efficiency(const StudyPrediction& study) {
  analysis::Figure figure =
      over_gpus(study, {.id = "efficiency", .title = "efficiency", .from_zero = true},
                [](const predict::CurvePoint& point) { return point.efficiency; });
  figure.title = "Predicted efficiency of " + study.study;
  figure.subtitle += ", relative to the smallest GPU count of a curve";
  return figure;
}

analysis::Figure predicted_throughput(const StudyPrediction& study) {
  analysis::Figure figure = over_gpus(
      study, {.id = "throughput_samples_per_s", .title = "throughput (samples/s)", .log_base = 10},
      &predict::throughput);
  figure.title = "Predicted throughput of " + study.study;
  return figure;
}

analysis::Figure predicted_epoch_time(const StudyPrediction& study) {
  analysis::Figure figure =
      over_gpus(study, {.id = "epoch_time_s", .title = "time per epoch (s)", .log_base = 10},
                [](const predict::CurvePoint& point) { return point.epoch_s; });
  figure.title = "Predicted time per epoch of " + study.study;
  return figure;
}

namespace {

/// Part of a step that a sweep figure draws as a line with marks.
struct SweptPart {
  const char* title;
  std::function<std::optional<double>(const SweptStep&)> value_s;
};

std::optional<double> value_of(const std::optional<predict::Seconds>& time) {
  return time ? std::optional(time->value) : std::nullopt;
}

const std::vector<SweptPart>& swept_parts() {
  static const std::vector<SweptPart> parts{
      {"roofline", [](const SweptStep& one) { return value_of(one.roofline); }},
      {"kernel models", [](const SweptStep& one) { return value_of(one.kernels); }},
      {"communication", [](const SweptStep& one) -> std::optional<double> {
         if (one.step.communication.value <= 0) return std::nullopt;
         return one.step.communication.value;
       }}};
  return parts;
}

/// Adds a series for each part of the steps of one curve. A part without values is left out.
void add_parts(analysis::Figure& figure, const std::string& label, std::size_t color,
               const SweptCurve& swept) {
  for (std::size_t part = 0; part < swept_parts().size(); ++part) {
    analysis::Series series{
        .label = label + ": " + swept_parts()[part].title, .color = color, .mark = part};
    for (const SweptStep& one : swept.steps) {
      if (const auto value_s = swept_parts()[part].value_s(one)) {
        series.points.push_back({one.value, *value_s, {}});
      }
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
}

/// Returns a vertical line at `value` over the height of the figure.
analysis::Series vertical_line(const analysis::Figure& figure, double value,
                               const std::string& unit) {
  const auto [least, most] = analysis::y_span(figure);
  return {.label = fmt::format("without the sweep: {:g}{}", value, unit.empty() ? "" : " " + unit),
          .points = {{value, least, {}}, {value, most, {}}}};
}

}  // namespace

analysis::Figure sweep_figure(const StudyPrediction& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  const std::string title = quantity.unit.empty()
                                ? quantity.title
                                : fmt::format("{} ({})", quantity.title, quantity.unit);
  analysis::Figure figure{
      .title = fmt::format("Predicted step time over {}", quantity.title),
      .subtitle = study.study + " on " + study.site + "; dashed: a step; with marks: its parts",
      .notes = prediction_basis(study),
      .x = {.id = quantity.id, .title = title, .log_base = 2},
      .y = {.id = "step_s", .title = "time (s)", .log_base = 10}};
  std::vector<analysis::Series> totals;
  std::set<double> values;  // values that the curves have without the sweep
  for (const PredictedCurve& curve : study.curves) {
    // The value that the curve has without the sweep is added to the swept values. The axis then
    // contains this value.
    Sweep all = sweep;
    const auto value = value_without_sweep(study, curve, sweep.name);
    if (value && std::find(all.values.begin(), all.values.end(), *value) == all.values.end()) {
      all.values.insert(std::upper_bound(all.values.begin(), all.values.end(), *value), *value);
    }
    const SweptCurve swept = swept_curve(study, curve, all);
    if (swept.steps.empty()) continue;
    if (value) values.insert(*value);
    analysis::Series total{
        .label = label_of(study, curve) + ": step", .color = totals.size(), .law = true};
    for (const SweptStep& one : swept.steps) {
      total.points.push_back(
          {one.value, one.step_s.value, analysis::Bounds{one.step_s.low, one.step_s.high}});
    }
    add_parts(figure, label_of(study, curve), total.color, swept);
    totals.push_back(std::move(total));
  }
  figure.series.insert(figure.series.end(), totals.begin(), totals.end());
  if (values.size() == 1) {
    figure.ideal = vertical_line(figure, *values.begin(), quantity.unit);
  } else if (values.size() > 1) {
    figure.notes.push_back(
        fmt::format("no vertical line: the curves of the study differ in their {} ({:g})",
                    quantity.title, fmt::join(values, ", ")));
  }
  return figure;
}

}  // namespace dlscale::forecast
