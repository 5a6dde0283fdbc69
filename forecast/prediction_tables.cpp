// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "forecast/curve_labels.hpp"
#include "forecast/prediction_grounds.hpp"
#include "forecast/swept_step.hpp"

namespace dlscale::forecast {
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
Cell bounds(const predict::Band& band, double scale = 1) {
  return Bounds{band.low * scale, band.high * scale};
}

/// An axis of the study that a column of the table's own is called as, as the batch of a GPU may
/// be, gets another id.
void add_columns(Table& table, const std::vector<Column>& columns) {
  for (Column& axis : table.columns) {
    const bool taken = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& column) { return column.id == axis.id; });
    if (taken) axis.id = "axis_" + axis.id;
  }
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
}

/// The curve's label, and what the row says behind it.
void add_row(Table& table, std::vector<Cell> label, const std::vector<Cell>& rest) {
  label.insert(label.end(), rest.begin(), rest.end());
  table.rows.push_back(std::move(label));
}

void add_once(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  for (const std::string& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

/// GPU-hours go with the epoch.
double hours_of_epoch(const CurvePoint& point) {
  return point.gpu_hours / point.epoch_s.value;
}

/// Of a rank on so many GPUs, with its own share of a step.
predict::MemoryVerdict verdict_at(const PredictedCurve& curve, int gpus,
                                  const predict::Share& share) {
  return predict::memory_verdict(curve.card, std::llround(share.batch),
                                 memory_setting_at(curve, gpus, share.passes),
                                 curve.hardware.device);
}

}  // namespace

Table times_table(const PredictedStudy& study) {
  Table table = curves_table(study, "predicted-times", "Predicted times");
  table.notes = grounds(study);
  add_columns(table, {{"gpus", "GPUs"},
                      {"nodes", "nodes"},
                      {"batch_per_gpu", "batch per GPU"},
                      {"step_s", "step", "ms", 2, 1000},
                      {"step_bounds_s", "step, low to high", "ms", 2, 1000, true},
                      {"epoch_s", "epoch", "s", 2},
                      {"epoch_bounds_s", "epoch, low to high", "s", 2, 1, true},
                      {"efficiency", "efficiency", "", 3},
                      {"efficiency_bounds", "efficiency, low to high", "", 3, 1, true},
                      {"exposed_share", "exposed communication", "%", 1, 100},
                      {"waiting_share", "waiting for the slowest rank", "%", 1, 100},
                      {"bound", "bound by"},
                      {"gpu_hours", "GPU-hours", "h", 2},
                      {"gpu_hours_bounds", "GPU-hours, low to high", "h", 2, 1, true},
                      {"planned", "planned"}});
  for (const PredictedCurve& curve : study.curves) {
    add_once(table.notes, notes_of_distance(study, curve));
    for (const CurvePoint& point : curve.over_gpus) {
      const bool planned = std::find(curve.planned.begin(), curve.planned.end(),
                                     point.ranks.gpus) != curve.planned.end();
      add_row(table, beginning(study, curve),
              {static_cast<double>(point.ranks.gpus), static_cast<double>(point.ranks.nodes),
               point.batch_per_gpu, point.step_s.value, bounds(point.step_s), point.epoch_s.value,
               bounds(point.epoch_s), point.efficiency.value, bounds(point.efficiency),
               point.step.exposed_comm / point.step.total(),
               point.step.slowest_wait / point.step.total(), text(to_string(point.step.bound)),
               point.gpu_hours, bounds(point.epoch_s, hours_of_epoch(point)),
               text(planned ? "yes" : "no")});
    }
  }
  return table;
}

Table knee_table(const PredictedStudy& study) {
  Table table = curves_table(study, "predicted-knee", "GPUs worth their cost");
  int most = 0;
  for (const PredictedCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.over_gpus) most = std::max(most, point.ranks.gpus);
  }
  table.notes = {fmt::format("the largest count up to which efficiency is at least {}, as "
                             "predicted up to {} GPUs",
                             predict::kWorthwhileEfficiency, most),
                 "GPUs, low to high: by the low and the high edge of efficiency"};
  add_once(table.notes, missing_terms_notes(study));
  add_columns(table, {{"gpus", "GPUs"},
                      {"gpus_bounds", "GPUs, low to high", "", 0, 1, true},
                      {"epoch_s", "epoch", "s", 2},
                      {"epoch_bounds_s", "epoch, low to high", "s", 2, 1, true},
                      {"gpu_hours", "GPU-hours", "h", 2},
                      {"gpu_hours_bounds", "GPU-hours, low to high", "h", 2, 1, true},
                      {"efficiency", "efficiency", "", 3},
                      {"efficiency_bounds", "efficiency, low to high", "", 3, 1, true}});
  for (const PredictedCurve& curve : study.curves) {
    const std::vector<CurvePoint>& points = curve.over_gpus;
    const auto knee_by = [&](double predict::Band::*edge) {
      return predict::knee(points, predict::kWorthwhileEfficiency, edge);
    };
    const int gpus = knee_by(&predict::Band::value);
    const double fewest = knee_by(&predict::Band::low), most = knee_by(&predict::Band::high);
    const auto at = std::find_if(points.begin(), points.end(),
                                 [&](const CurvePoint& point) { return point.ranks.gpus == gpus; });
    if (at == points.end()) continue;
    add_row(table, beginning(study, curve),
            {static_cast<double>(gpus), Bounds{fewest, most}, at->epoch_s.value,
             bounds(at->epoch_s), at->gpu_hours, bounds(at->epoch_s, hours_of_epoch(*at)),
             at->efficiency.value, bounds(at->efficiency)});
  }
  return table;
}

Table memory_table(const PredictedStudy& study) {
  Table table = curves_table(study, "predicted-memory", "Predicted memory of a GPU");
  table.notes = grounds_of_memory(study);
  table.notes_in_caption = 1;
  add_columns(table, {{"gpus", "GPUs"},
                      {"batch_per_gpu", "batch per GPU"},
                      {"device", "device"},
                      {"memory_bytes", "needs", "GiB", 2, kPerGibibyte},
                      {"memory_bounds_bytes", "needs, low to high", "GiB", 2, kPerGibibyte, true},
                      {"activations_bytes", "activations", "GiB", 2, kPerGibibyte},
                      {"capacity_bytes", "has", "GiB", 2, kPerGibibyte},
                      {"margin", "margin", "%", 0, 100},
                      {"verdict", "verdict"},
                      {"most_in", "most of it in"},
                      {"largest_batch", "largest batch"},
                      {"rests_on", "rests on"}});
  for (const PredictedCurve& curve : study.curves) {
    const predict::Device& device = curve.hardware.device;
    if (device.memory.value <= 0) continue;  // not known
    for (const int gpus : curve.planned) {
      const predict::Share share = predict::share_at(curve.shares, curve.strong, gpus);
      const predict::MemoryVerdict verdict = verdict_at(curve, gpus, share);
      const double needs = verdict.parts.total().value;
      const double error = needs * curve.held.uncertainty(verdict.parts.activations);
      add_row(table, beginning(study, curve),
              {static_cast<double>(gpus), share.batch, text(device.title), needs,
               Bounds{needs - error, needs + error}, verdict.parts.activations.value,
               verdict.capacity.value, verdict.margin, text(verdict.fits ? "fits" : "does not fit"),
               text(predict::dominating_layer(curve.card, share.batch).name),
               static_cast<double>(verdict.largest_batch), text(basis_of_memory(curve.held))});
    }
  }
  return table;
}

Table sweep_table(const PredictedStudy& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  Table table =
      curves_table(study, "sweep-" + sweep.name, fmt::format("Step over {}", quantity.title));
  table.notes = {fmt::format("each curve as planned on its most GPUs, {} apart", quantity.title)};
  add_once(table.notes, missing_terms_notes(study));
  table.notes_in_caption = 1;
  add_columns(table, {{quantity.id, quantity.title, quantity.unit, quantity.decimals},
                      {"step_s", "step", "ms", 3, 1000},
                      {"step_bounds_s", "step, low to high", "ms", 3, 1000, true},
                      {"computing_s", "computing", "ms", 3, 1000},
                      {"exposed_comm_s", "exposed communication", "ms", 3, 1000},
                      {"slowest_wait_s", "waiting for the slowest rank", "ms", 3, 1000},
                      {"communication_s", "communication", "ms", 3, 1000},
                      {"bound", "bound by"}});
  for (const PredictedCurve& curve : study.curves) {
    const SweptCurve swept = swept_curve(study, curve, sweep);
    add_once(table.notes, swept.notes);
    for (const SweptStep& one : swept.steps) {
      const predict::StepTime& step = one.step;
      add_row(table, beginning(study, curve),
              {one.value, step.total().value, bounds(one.step_s),
               (step.forward + step.backward + step.optimizer).value, step.exposed_comm.value,
               step.slowest_wait.value, step.communication.value, text(to_string(step.bound))});
    }
  }
  return table;
}

}  // namespace dlscale::forecast
