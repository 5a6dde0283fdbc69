// SPDX-License-Identifier: Apache-2.0
#include "cli/prediction_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/swept_step.hpp"

namespace dlscale::cli {
namespace {

using analysis::Bounds;
using analysis::Cell;
using analysis::Column;
using analysis::Table;
using predict::CurvePoint;

constexpr double kPerGibibyte = 1.0 / (1024.0 * 1024 * 1024);

Cell text(const std::string& value) {
  return value;
}
Cell bounds(const predict::Band& band) {
  return Bounds{band.low, band.high};
}

std::string value_of(const PredictedCurve& curve, const std::string& axis) {
  const auto found = curve.axes.find(axis);
  return found == curve.axes.end() ? std::string() : found->second;
}

/// The axes that tell curves apart which those before them do not.
std::vector<std::string> telling_axes(const PredictedStudy& study) {
  std::vector<std::string> axes;
  const auto alike = [&](const PredictedCurve& a, const PredictedCurve& b) {
    return std::all_of(axes.begin(), axes.end(), [&](const std::string& axis) {
      return value_of(a, axis) == value_of(b, axis);
    });
  };
  for (const std::string& axis : study.axes) {
    bool telling = false;
    for (const PredictedCurve& a : study.curves) {
      for (const PredictedCurve& b : study.curves) {
        telling = telling || (alike(a, b) && value_of(a, axis) != value_of(b, axis));
      }
    }
    if (telling) axes.push_back(axis);
  }
  if (axes.empty()) axes.emplace_back("model");
  return axes;
}

std::vector<Cell> beginning(const PredictedStudy& study, const PredictedCurve& curve) {
  std::vector<Cell> row;
  for (const std::string& axis : telling_axes(study)) {
    const auto found = curve.axes.find(axis);
    row.push_back(text(found != curve.axes.end() ? found->second : curve.first.model));
  }
  return row;
}

std::string label_of(const PredictedStudy& study, const PredictedCurve& curve) {
  std::string label;
  for (const Cell& cell : beginning(study, curve)) {
    label += (label.empty() ? "" : " ") + std::get<std::string>(cell);
  }
  return label;
}

Table begin(const PredictedStudy& study, const std::string& id, const std::string& title) {
  Table table{.id = id, .title = title + " of " + study.study + " on " + study.site};
  for (const std::string& axis : telling_axes(study)) table.columns.push_back({axis, axis});
  return table;
}

/// What computation rests on where no step was measured.
std::string unmeasured_computation(const PredictedStudy& study) {
  const bool learned =
      study.measured != nullptr && !study.measured->calibration().kernel_models.empty();
  return (learned
              ? "learned kernels, within a quarter, where they know nearly all of a model; else "
                "the roofline of "
              : "the roofline of ") +
         study.curves.front().device.title + ", 1 to 3.5 times its time";
}

/// What times rest on, for the caption.
std::vector<std::string> grounds(const PredictedStudy& study) {
  const bool measured =
      std::any_of(study.curves.begin(), study.curves.end(), [&](const PredictedCurve& each) {
        return !model_of(study, each).computing.measured.empty();
      });
  std::vector<std::string> notes;
  notes.push_back(measured
                      ? "computation: measured steps, layers shared out by the roofline; "
                        "where none was measured, " +
                            unmeasured_computation(study)
                      : "computation: " + unmeasured_computation(study) + "; no step was measured");
  notes.emplace_back(
      study.measured == nullptr || study.measured->calibration().all_reduce.empty()
          ? "all-reduce: latency and bandwidth of data sheets, 1 to 2 times that; none was measured"
          : "all-reduce: measured, interpolated; on other GPU counts by latency and bandwidth of "
            "one topology");
  const bool loads = study.measured != nullptr && !study.measured->calibration().loading.empty();
  notes.emplace_back(std::string("low and high: both of these in quadrature; loading of data is ") +
                     (loads ? "as measured" : "not in it"));
  notes.insert(notes.end(), study.notes.begin(), study.notes.end());
  return notes;
}

std::vector<CurvePoint> curve_points(const PredictedStudy& study, const PredictedCurve& curve,
                                     int up_to) {
  return predict::scaling_curve(model_of(study, curve), setting_of(curve),
                                shown_counts(curve, up_to));
}

}  // namespace

std::vector<int> shown_counts(const PredictedCurve& curve, int up_to) {
  std::vector<int> counts = curve.planned;
  for (const int count : predict::doubled_counts(1, up_to)) {
    if (count > counts.back()) counts.push_back(count);
  }
  // A device that is known by its measured steps alone says nothing of a larger one.
  if (predict::is_measured_alone(curve.device)) return curve.planned;
  if (curve.network.between.bandwidth.value <= 0) {
    std::erase_if(counts, [&](int count) { return count > curve.gpus_per_node; });
  }
  return counts;
}

Table times_table(const PredictedStudy& study, int up_to) {
  Table table = begin(study, "predicted-times", "Predicted times");
  table.notes = grounds(study);
  for (const Column& column :
       std::vector<Column>{{"gpus", "GPUs"},
                           {"nodes", "nodes"},
                           {"batch_per_gpu", "batch per GPU"},
                           {"step_s", "step", "ms", 2, 1000},
                           {"step_bounds_s", "step, low to high", "ms", 2, 1000, true},
                           {"epoch_s", "epoch", "s", 2},
                           {"efficiency", "efficiency", "", 3},
                           {"efficiency_bounds", "efficiency, low to high", "", 3, 1, true},
                           {"exposed_share", "exposed communication", "%", 1, 100},
                           {"bound", "bound by"},
                           {"gpu_hours", "GPU-hours", "h", 2},
                           {"planned", "planned"}}) {
    table.columns.push_back(column);
  }
  for (const PredictedCurve& curve : study.curves) {
    for (const CurvePoint& point : curve_points(study, curve, up_to)) {
      std::vector<Cell> row = beginning(study, curve);
      const bool planned = std::find(curve.planned.begin(), curve.planned.end(),
                                     point.ranks.gpus) != curve.planned.end();
      const std::vector<Cell> rest{static_cast<double>(point.ranks.gpus),
                                   static_cast<double>(point.ranks.nodes),
                                   point.batch_per_gpu,
                                   point.step_s.value,
                                   bounds(point.step_s),
                                   point.epoch_s.value,
                                   point.efficiency.value,
                                   bounds(point.efficiency),
                                   point.step.exposed_comm / point.step.total(),
                                   text(to_string(point.step.bound)),
                                   point.gpu_hours,
                                   text(planned ? "yes" : "no")};
      row.insert(row.end(), rest.begin(), rest.end());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table knee_table(const PredictedStudy& study, int up_to) {
  Table table = begin(study, "predicted-knee", "GPUs worth their cost");
  table.notes = {
      fmt::format("the largest count up to which efficiency is at least {}, as "
                  "predicted up to {} GPUs",
                  predict::kWorthwhileEfficiency, up_to)};
  table.notes_in_caption = 1;
  for (const Column& column : std::vector<Column>{{"gpus", "GPUs"},
                                                  {"epoch_s", "epoch", "s", 2},
                                                  {"gpu_hours", "GPU-hours", "h", 2},
                                                  {"efficiency", "efficiency", "", 3}}) {
    table.columns.push_back(column);
  }
  for (const PredictedCurve& curve : study.curves) {
    const std::vector<CurvePoint> points = curve_points(study, curve, up_to);
    const int gpus = predict::knee(points);
    const auto at = std::find_if(points.begin(), points.end(),
                                 [&](const CurvePoint& point) { return point.ranks.gpus == gpus; });
    if (at == points.end()) continue;
    std::vector<Cell> row = beginning(study, curve);
    row.emplace_back(static_cast<double>(gpus));
    row.emplace_back(at->epoch_s.value);
    row.emplace_back(at->gpu_hours);
    row.emplace_back(at->efficiency.value);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table memory_table(const PredictedStudy& study) {
  Table table = begin(study, "predicted-memory", "Predicted memory of a GPU");
  table.notes = {
      fmt::format("fits: the sum with {:.0f} % more is no more than the device has; "
                  "workspace of kernels and communicators is not in the sum",
                  predict::kMemoryMargin * 100)};
  table.notes_in_caption = 1;
  for (const Column& column :
       std::vector<Column>{{"gpus", "GPUs"},
                           {"batch_per_gpu", "batch per GPU"},
                           {"device", "device"},
                           {"memory_bytes", "needs", "GiB", 2, kPerGibibyte},
                           {"activations_bytes", "activations", "GiB", 2, kPerGibibyte},
                           {"capacity_bytes", "has", "GiB", 2, kPerGibibyte},
                           {"margin", "margin", "%", 0, 100},
                           {"verdict", "verdict"},
                           {"most_in", "most of it in"},
                           {"largest_batch", "largest batch"}}) {
    table.columns.push_back(column);
  }
  for (const PredictedCurve& curve : study.curves) {
    const predict::MemoryVerdict& verdict = curve.memory;
    if (verdict.capacity.value <= 0) continue;  // not known
    const auto batch = static_cast<double>(curve.first.batch_per_gpu);
    const predict::DominatingLayer layer = predict::dominating_layer(curve.card, batch);
    std::vector<Cell> row = beginning(study, curve);
    const std::vector<Cell> rest{static_cast<double>(curve.first.gpus),
                                 batch,
                                 text(curve.device.title),
                                 verdict.parts.total().value,
                                 verdict.parts.activations.value,
                                 verdict.capacity.value,
                                 verdict.margin,
                                 text(verdict.fits ? "fits" : "does not fit"),
                                 text(layer.name),
                                 static_cast<double>(verdict.largest_batch)};
    row.insert(row.end(), rest.begin(), rest.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table sweep_table(const PredictedStudy& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  Table table = begin(study, "sweep-" + sweep.name, fmt::format("Step over {}", quantity.title));
  table.notes = {fmt::format("each curve as planned on its most GPUs, {} apart", quantity.title)};
  table.notes_in_caption = 1;
  for (const Column& column :
       std::vector<Column>{{quantity.id, quantity.title, quantity.unit, quantity.decimals},
                           {"step_s", "step", "ms", 3, 1000},
                           {"computing_s", "computing", "ms", 3, 1000},
                           {"exposed_comm_s", "exposed communication", "ms", 3, 1000},
                           {"communication_s", "communication", "ms", 3, 1000},
                           {"bound", "bound by"}}) {
    table.columns.push_back(column);
  }
  for (const PredictedCurve& curve : study.curves) {
    for (const double value : sweep.values) {
      const predict::StepTime step = swept_step(study, curve, sweep.name, value);
      std::vector<Cell> row = beginning(study, curve);
      const std::vector<Cell> rest{value,
                                   step.total().value,
                                   (step.forward + step.backward + step.optimizer).value,
                                   step.exposed_comm.value,
                                   step.communication.value,
                                   text(to_string(step.bound))};
      row.insert(row.end(), rest.begin(), rest.end());
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

analysis::Figure efficiency_figure(const PredictedStudy& study, int up_to) {
  analysis::Figure figure{.title = "Predicted efficiency of " + study.study,
                          .subtitle = "on " + study.site + ", against the fewest GPUs of a curve",
                          .notes = grounds(study),
                          .x = {.id = "gpus", .title = "GPUs", .log_base = 2},
                          .y = {.id = "efficiency", .title = "efficiency", .from_zero = true}};
  for (const PredictedCurve& curve : study.curves) {
    analysis::Series series{.label = label_of(study, curve)};
    series.color = series.mark = figure.series.size();
    series.law = true;
    for (const CurvePoint& point : curve_points(study, curve, up_to)) {
      series.points.push_back({static_cast<double>(point.ranks.gpus), point.efficiency.value,
                               Bounds{point.efficiency.low, point.efficiency.high}});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

analysis::Figure sweep_figure(const PredictedStudy& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  const std::string title = quantity.unit.empty()
                                ? quantity.title
                                : fmt::format("{} ({})", quantity.title, quantity.unit);
  analysis::Figure figure{.title = fmt::format("Predicted step over {}", quantity.title),
                          .subtitle = study.study + " on " + study.site,
                          .x = {.id = quantity.id, .title = title, .log_base = 2},
                          .y = {.id = "step_s", .title = "step time (s)", .log_base = 10},
                          .marks = false};
  for (const PredictedCurve& curve : study.curves) {
    analysis::Series series{.label = label_of(study, curve)};
    series.color = series.mark = figure.series.size();
    for (const double value : sweep.values) {
      series.points.push_back(
          {value, swept_step(study, curve, sweep.name, value).total().value, {}});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace dlscale::cli
