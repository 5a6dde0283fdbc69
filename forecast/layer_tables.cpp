// SPDX-License-Identifier: Apache-2.0
#include "forecast/layer_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

#include "contract/records/model_card.hpp"
#include "predict/layer_estimates.hpp"

namespace dlscale::forecast {
namespace {

using analysis::Cell;
using analysis::Column;
using analysis::Figure;
using analysis::Series;
using analysis::Table;
using contract::StepLayers;
using predict::LayerEstimates;
using predict::Stage;
using predict::StageErrors;

constexpr double kMilli = 1e3;
const std::vector<Column> kStepColumns{
    {"model", "model"}, {"input", "input"}, {"precision", "precision"}, {"batch", "batch"}};

std::vector<Cell> step_cells(const StepLayers& step) {
  return {step.model, contract::shape_text(step.input), step.precision, double(step.batch)};
}

Cell cell_of(const std::optional<double>& value) {
  if (!value) return {};
  return *value;
}

std::vector<Cell> error_cells(const StepLayers& step, const std::string& stage,
                              const std::optional<StageErrors>& errors) {
  std::vector<Cell> row = step_cells(step);
  row.emplace_back(stage);
  if (!errors) {
    row.insert(row.end(), {0.0, Cell(), Cell(), Cell(), Cell(), Cell(), 0.0});
    return row;
  }
  row.insert(row.end(), {double(errors->layers), errors->measured_s, errors->estimated_s,
                         errors->of_total(), errors->relative, errors->weighted, errors->covered});
  return row;
}

std::string layer_name(const contract::LayerCard& cost) {
  return cost.name + " " + cost.kind;
}

Series series_of(Stage stage, bool estimated) {
  const auto index = static_cast<std::size_t>(stage);
  return {.label = fmt::format("{}, {}", to_string(stage), estimated ? "estimated" : "measured"),
          .color = index,
          .mark = estimated ? index + 5 : index};  // the sixth to tenth marks are hollow
}

Figure figure_of(const StepLayers& step, const LayerEstimates& estimates) {
  Figure figure{
      .title = fmt::format("Layers of {}, measured and estimated", step.model),
      .subtitle = fmt::format("input {}, batch {}, {}; estimates of kernel models",
                              contract::shape_text(step.input), step.batch, step.precision),
      .x = {.id = "layer", .title = "layer"},
      .y = {.id = "seconds", .title = "time (s)", .log_base = 10},
      .lines = false};
  for (const contract::MeasuredLayer& layer : step.layers) {
    figure.x.words.push_back(layer_name(layer.cost));
  }
  for (const Stage stage : predict::kStages) {
    Series measured = series_of(stage, false), estimated = series_of(stage, true);
    for (std::size_t i = 0; i < estimates.layers.size(); ++i) {
      const predict::StageTime& time = estimates.layers[i].at(stage);
      const auto x = static_cast<double>(i);
      if (time.measured_s > 0) measured.points.push_back({x, time.measured_s, {}});
      if (time.estimated_s) estimated.points.push_back({x, *time.estimated_s, {}});
    }
    if (!measured.points.empty()) figure.series.push_back(std::move(measured));
    if (!estimated.points.empty()) figure.series.push_back(std::move(estimated));
    if (const auto errors = errors_of(estimates, {stage})) {
      figure.notes.push_back(
          fmt::format("{}: RE {:.1f} %, WRE {:.1f} % over {} layers with {:.0f} % of the time",
                      to_string(stage), 100 * errors->relative, 100 * errors->weighted,
                      errors->layers, 100 * errors->covered));
    }
  }
  for (const std::string& reason : estimates.unknown) {
    figure.notes.push_back("no estimate of " + reason);
  }
  return figure;
}

}  // namespace

Table layer_errors_table(const contract::Calibration& calibration) {
  Table table{.id = "layer-errors",
              .title = "Errors of the kernel models for the layers of a step",
              .notes = {"RE: mean of |estimated / measured - 1| over the layers; WRE: mean of "
                        "|estimated - measured| / mean measured time (Barrachina et al., eq. 2, 3)",
                        "covered: share of the measured time whose layers have an estimate; the "
                        "other columns are about these layers only"},
              .columns = kStepColumns};
  table.columns.insert(table.columns.end(), {{"stage", "stage"},
                                             {"layers", "layers"},
                                             {"measured_s", "measured", "ms", 3, kMilli},
                                             {"estimated_s", "estimated", "ms", 3, kMilli},
                                             {"total_error", "error of the sum", "%", 1, 100},
                                             {"relative_error", "RE", "%", 1, 100},
                                             {"weighted_relative_error", "WRE", "%", 1, 100},
                                             {"covered", "covered", "%", 0, 100}});
  std::set<std::string> unknown;
  for (const StepLayers& step : calibration.layers) {
    const LayerEstimates estimates = predict::estimate_layers(step, calibration.kernel_models);
    for (const Stage stage : predict::kStages) {
      table.rows.push_back(error_cells(step, to_string(stage), errors_of(estimates, {stage})));
    }
    const std::vector<Stage> all(predict::kStages.begin(), predict::kStages.end());
    table.rows.push_back(error_cells(step, "step", errors_of(estimates, all)));
    unknown.insert(estimates.unknown.begin(), estimates.unknown.end());
  }
  if (!unknown.empty()) {
    table.notes.push_back(fmt::format("no estimate of {}", fmt::join(unknown, "; ")));
  }
  return table;
}

Table layer_times_table(const contract::Calibration& calibration) {
  Table table{.id = "layer-times",
              .title = "Layers of a training step, measured and estimated by kernel models",
              .notes = {"measured: median within training steps; error = estimated / measured - 1"},
              .columns = kStepColumns,
              .notes_in_caption = 1};
  table.columns.insert(table.columns.end(), {{"layer", "layer"}, {"kind", "kind"}});
  for (const Stage stage : predict::kStages) {
    const std::string name = to_string(stage);
    table.columns.insert(table.columns.end(),
                         {{name + "_s", name, "ms", 3, kMilli},
                          {name + "_estimated_s", "estimated", "ms", 3, kMilli},
                          {name + "_error", "error", "%", 1, 100}});
  }
  for (const StepLayers& step : calibration.layers) {
    const LayerEstimates estimates = predict::estimate_layers(step, calibration.kernel_models);
    for (std::size_t i = 0; i < step.layers.size(); ++i) {
      std::vector<Cell> row = step_cells(step);
      row.insert(row.end(), {step.layers[i].cost.name, step.layers[i].cost.kind});
      for (const predict::StageTime& time : estimates.layers[i].stages) {
        const bool measured = time.measured_s > 0;
        row.push_back(measured ? Cell(time.measured_s) : Cell());
        row.push_back(cell_of(time.estimated_s));
        row.push_back(cell_of(time.error()));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::vector<std::pair<std::string, Figure>> layer_figures(
    const contract::Calibration& calibration) {
  std::vector<std::pair<std::string, Figure>> figures;
  for (const StepLayers& step : calibration.layers) {
    std::string name = fmt::format("layer-times-{}-{}-b{}", step.model,
                                   contract::shape_text(step.input), step.batch);
    if (step.precision != "fp32") name += "-" + step.precision;
    figures.emplace_back(std::move(name), figure_of(step, predict::estimate_layers(
                                                              step, calibration.kernel_models)));
  }
  return figures;
}

}  // namespace dlscale::forecast
