// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "forecast/study_prediction.hpp"
#include "forecast/sweep_step.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {
namespace {

/// Describes where computing times come from if no steps were measured.
std::string unmeasured_computation(const StudyPrediction& study) {
  const bool learned =
      study.measured != nullptr && !study.measured->calibration().kernel_models.empty();
  return (learned ? "learned kernel models, within 25 %, if these cover nearly all of a model; "
                    "otherwise the roofline of "
                  : "the roofline of ") +
         study.curves.front().hardware.device.title + ", 1 to 3.5 times the resulting time";
}

/// Returns the largest number of ranks with a measured all-reduce, or 0 if no all-reduce was
/// measured.
int most_gpus_measured(const StudyPrediction& study) {
  int most = 0;
  if (study.measured == nullptr) return most;
  for (const contract::AllReduceTime& time : study.measured->calibration().all_reduce) {
    most = std::max(most, time.gpus);
  }
  return most;
}

/// Returns a sentence on the bands of large GPU counts. The sentence states how much the bands are
/// widened for effects that the model omits, and from which GPU count on.
std::string width_of(const predict::MissingTerms& missing, predict::SampleSource source,
                     const std::string& site) {
  const bool reads = source == predict::SampleSource::input_pipeline;
  std::string note = fmt::format(
      "low and high beyond {}: widened by the efficiency that published systems lost because of "
      "costs that are not in the model; 95 % of the systems with {} lost at most {:.0f} % of the "
      "step time for each doubling of the GPUs",
      missing.measured_gpus == 1 ? "1 GPU"
                                 : fmt::format("the {} measured GPUs", missing.measured_gpus),
      reads ? "an input pipeline" : "data in memory", 100 * (std::exp(missing.spread.loss) - 1));
  if (predict::is_published_system(site)) {
    note += fmt::format("; {} is one of these systems and is excluded", site);
  }
  return note;
}

}  // namespace

std::vector<std::string> missing_terms_notes(const StudyPrediction& study) {
  std::vector<std::string> notes;
  for (const PredictedCurve& curve : study.curves) {
    const predict::MissingTerms missing = model_of(study, curve).missing;
    const bool widened = std::any_of(curve.over_gpus.begin(), curve.over_gpus.end(),
                                     [&](const auto& at) { return missing.widen(at.ranks.gpus); });
    if (!widened) continue;
    if (std::string note = width_of(missing, predict::sample_source(curve.first), study.site);
        std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
  if (notes.empty()) return notes;
  notes.insert(notes.begin(), std::string("not in the model: ") + predict::kMissingTerms);
  notes.emplace_back(
      "to reduce the width: run on these GPU counts and read the runs with dlscale calibrate "
      "(docs/calibration.md)");
  return notes;
}

std::vector<std::string> prediction_basis(const StudyPrediction& study) {
  bool measured = false, scatter = false;
  for (const PredictedCurve& curve : study.curves) {
    for (const contract::ComputeTime& time : measured_steps(study, curve)) {
      measured = true;
      if (time.deviation_s > 0) scatter = true;
    }
  }
  std::vector<std::string> notes;
  notes.push_back(measured
                      ? "computation: measured steps, distributed over layers by the roofline; "
                        "without a measured step, " +
                            unmeasured_computation(study)
                      : "computation: " + unmeasured_computation(study) + "; no step was measured");
  notes.emplace_back(study.measured == nullptr || study.measured->calibration().all_reduce.empty()
                         ? "all-reduce: latency and bandwidth of data sheets, 1 to 2 times the "
                           "resulting time; no all-reduce was measured"
                         : "all-reduce: interpolated measurements; on GPU counts that were not "
                           "measured, latency and bandwidth fitted to the same topology");
  const bool loads = study.measured != nullptr && !study.measured->calibration().loading.empty();
  notes.emplace_back(scatter ? "waiting for the slowest rank: from the variation between measured "
                               "steps, 0 to 3 times the resulting time"
                             : "waiting for the slowest rank: not included, because no measured "
                               "steps show their variation");
  const auto is_inference = [](const PredictedCurve& curve) { return !curve.first.mode.empty(); };
  if (std::any_of(study.curves.begin(), study.curves.end(), is_inference)) {
    notes.emplace_back(
        "inference: a step is the forward pass of one batch, and an epoch is one pass over the "
        "test set; loading is not included");
  }
  notes.emplace_back(std::string("low and high: bounds from the uncertainties of the parts of a "
                                 "step, added in quadrature; the bounds of epoch and GPU-hours are "
                                 "in proportion to those of the step; data loading is ") +
                     (loads ? "as measured" : "not included"));
  for (std::string& note : missing_terms_notes(study)) notes.push_back(std::move(note));
  notes.insert(notes.end(), study.notes.begin(), study.notes.end());
  return notes;
}

std::string basis_of_memory(const predict::HeldMemory& held) {
  if (held.runs == 0) return "card";
  std::string basis = fmt::format("card, {}", base::count_of(held.runs, "run"));
  if (held.other_models > 0) {
    basis += " of " + base::count_of(held.other_models, "other model");
  }
  return basis;
}

std::vector<std::string> grounds_of_memory(const StudyPrediction& study) {
  std::vector<std::string> notes;
  for (const PredictedCurve& curve : study.curves) {
    const predict::HeldMemory& held = curve.held;
    const predict::Device& device = curve.hardware.device;
    if (device.memory.value <= 0 || held.runs == 0) continue;
    if (!predict::memory_not_modelled(curve.first).empty()) continue;
    const predict::Bytes start = is_of_process(curve) ? device.context : held.beyond.start;
    std::string note =
        fmt::format("{}: added to the sum of the cost model: {:.0f} MiB{}", curve.first.model,
                    start / predict::kMebibyte, start == held.beyond.start ? "" : " (requested)");
    if (held.beyond.of_activations > 0) {
      note += fmt::format(" and {:.2f} of the activations", held.beyond.of_activations);
    }
    note += fmt::format("; {}, within {:.1f} % of the measured memory", basis_of_memory(held),
                        100 * held.relative_error);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
      notes.push_back(std::move(note));
    }
  }
  notes.insert(notes.begin(),
               fmt::format("fits: the sum plus {:.0f} % does not exceed the memory of the device; "
                           "the workspace of kernels and communicators is {}",
                           predict::kMemoryMargin * 100,
                           notes.empty() ? "not included" : "included where runs were measured"));
  return notes;
}

std::vector<std::string> notes_of_distance(const StudyPrediction& study,
                                           const PredictedCurve& curve) {
  const std::vector<predict::CurvePoint>& points = curve.over_gpus;
  std::vector<std::string> notes;
  std::set<double> far, known;
  for (const predict::CurvePoint& point : points) {
    if (point.extrapolated) far.insert(point.batch_per_gpu);
  }
  if (!far.empty()) {
    for (const contract::ComputeTime& time : measured_steps(study, curve)) {
      known.insert(static_cast<double>(time.batch));
    }
    notes.push_back(
        fmt::format("{}: batches of {:g} per GPU are far from the measured batches ({:g}): "
                    "computing time is within 25 % at best",
                    label_of(study, curve), fmt::join(far, ", "), fmt::join(known, ", ")));
  }
  const int most = most_gpus_measured(study);
  const auto beyond = std::find_if(points.begin(), points.end(), [&](const auto& point) {
    return most > 0 && point.ranks.gpus > kFarthestMeasured * most;
  });
  if (beyond != points.end()) {
    notes.push_back(
        fmt::format("from {} GPUs on: more than {} times the {} GPUs with measured all-reduces; "
                    "these times are guesses until larger counts are measured",
                    beyond->ranks.gpus, kFarthestMeasured, most));
  }
  return notes;
}

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

Cell seconds(const std::optional<predict::Seconds>& time) {
  return time ? Cell{time->value} : Cell{};
}

/// Removes the column with this id if none of its cells has a value.
void drop_if_empty(Table& table, const std::string& id) {
  const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                   [&](const Column& each) { return each.id == id; });
  const auto at = column - table.columns.begin();
  const bool any = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return !std::holds_alternative<std::monostate>(row[static_cast<std::size_t>(at)]);
  });
  if (any) return;
  table.columns.erase(column);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

/// Gives an axis another id if a column of the table has the same id, for example the batch per
/// GPU.
void add_columns(Table& table, const std::vector<Column>& columns) {
  for (Column& axis : table.columns) {
    const bool taken = std::any_of(columns.begin(), columns.end(),
                                   [&](const Column& column) { return column.id == axis.id; });
    if (taken) axis.id = "axis_" + axis.id;
  }
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
}

/// Adds a row to a table. The row has the cells that identify a curve, followed by the cells
/// `rest`.
void add_row(Table& table, std::vector<Cell> label, const std::vector<Cell>& rest) {
  label.insert(label.end(), rest.begin(), rest.end());
  table.rows.push_back(std::move(label));
}

void add_once(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  for (const std::string& note : more) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

/// Returns the GPU-hours per second of the predicted epoch time. This factor converts the bounds of
/// the epoch time to the bounds of the GPU-hours.
double hours_of_epoch(const CurvePoint& point) {
  return point.gpu_hours / point.epoch_s.value;
}

/// Returns the memory that a rank needs with `gpus` GPUs, and whether it fits into the device.
/// `share` is the work of the rank in a step.
predict::MemoryVerdict verdict_at(const PredictedCurve& curve, int gpus,
                                  const predict::Share& share) {
  return predict::memory_verdict(curve.card, std::llround(share.batch),
                                 memory_setting_at(curve, gpus, share.passes),
                                 curve.hardware.device);
}

}  // namespace

Table times_table(const StudyPrediction& study) {
  Table table = curves_table(study, "predicted-times", "Predicted times");
  table.notes = prediction_basis(study);
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

Table knee_table(const StudyPrediction& study) {
  Table table = curves_table(study, "predicted-knee", "GPUs worth their cost");
  int most = 0;
  for (const PredictedCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.over_gpus) most = std::max(most, point.ranks.gpus);
  }
  table.notes = {
      fmt::format("the largest GPU count up to which efficiency is at least {}; "
                  "efficiency was predicted up to {} GPUs",
                  predict::kWorthwhileEfficiency, most),
      "GPUs, low to high: the counts that follow from the lower and the upper bound of the "
      "efficiency"};
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

Table memory_table(const StudyPrediction& study) {
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
                      {"most_in", "largest part"},
                      {"largest_batch", "largest batch"},
                      {"rests_on", "rests on"}});
  for (const PredictedCurve& curve : study.curves) {
    const predict::Device& device = curve.hardware.device;
    if (device.memory.value <= 0) continue;  // The memory of the device is unknown.
    if (const std::string why = predict::memory_not_modelled(curve.first); !why.empty()) {
      add_once(table.notes, {label_of(study, curve) + ": " + why});
      continue;
    }
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

Table sweep_table(const StudyPrediction& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  Table table =
      curves_table(study, "sweep-" + sweep.name, fmt::format("Step time over {}", quantity.title));
  table.notes = {fmt::format("each curve uses the settings of its largest GPU count, except for {}",
                             quantity.title)};
  add_once(table.notes, missing_terms_notes(study));
  table.notes_in_caption = 1;
  add_columns(table, {{quantity.id, quantity.title, quantity.unit, quantity.decimals},
                      {"step_s", "step", "ms", 3, 1000},
                      {"step_bounds_s", "step, low to high", "ms", 3, 1000, true},
                      {"computing_s", "computing", "ms", 3, 1000},
                      {"roofline_s", "computing by roofline", "ms", 3, 1000},
                      {"kernel_models_s", "computing by kernel models", "ms", 3, 1000},
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
              {one.value, step.total().value, bounds(one.step_s), step.computing().value,
               seconds(one.roofline), seconds(one.kernels), step.exposed_comm.value,
               step.slowest_wait.value, step.communication.value, text(to_string(step.bound))});
    }
  }
  drop_if_empty(table, "roofline_s");
  drop_if_empty(table, "kernel_models_s");
  return table;
}

}  // namespace dlscale::forecast
