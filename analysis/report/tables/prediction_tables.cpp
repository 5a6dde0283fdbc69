// SPDX-License-Identifier: Apache-2.0
// The tables of kept predictions: beside what was measured, and how wrong they have been.
#include <fmt/format.h>

#include <set>
#include <string_view>
#include <unordered_map>

#include "analysis/metrics/prediction_score.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

using ScoredPoints = std::unordered_map<const KeptPrediction*, ScoredValue>;

/// Those of a quantity that were scored.
ScoredPoints scored(const Frame& frame, const char* id) {
  ScoredPoints points;
  for (const PredictedQuantity& quantity : predicted_quantities()) {
    if (std::string_view(quantity.id) != id) continue;
    for (const ScoredValue& value : score(frame, quantity)) points.emplace(value.kept, value);
  }
  return points;
}

void add_scored(Row& row, const ScoredPoints& points, const KeptPrediction& kept) {
  const auto found = points.find(&kept);
  if (found == points.end()) {
    row.nothing().nothing().nothing().nothing();
    return;
  }
  const ScoredValue& value = found->second;
  row.number(value.said.value);
  row.interval({Interval::Kind::Range, value.said.low, value.said.high});
  row.number(value.measured).number(value.error());
}

std::vector<std::string> prediction_notes_of(const Frame& frame) {
  std::set<std::string> bases;
  for (const KeptPrediction& kept : frame.predictions) bases.insert(kept.said.basis);
  std::string rests;
  for (const std::string& basis : bases) rests += (rests.empty() ? "" : "; ") + basis;
  return {
      "error: predicted / measured - 1, measured: the median of the repeats; of several "
      "predictions of a point the last one before its first launch counts",
      "predictions rest on: " + rests};
}

}  // namespace

Table predictions_table(const Frame& frame, const AnalysisOptions&) {
  std::vector<const KeptPrediction*> shown;
  std::vector<CurveKey> keys;
  const CurveKeys all_keys(frame);
  const RunsById by_id = runs_by_id(frame);
  for (const KeptPrediction& kept : frame.predictions) {
    const auto runs = runs_of(by_id, kept);
    if (runs.empty()) continue;
    shown.push_back(&kept);
    keys.push_back(all_keys.of(*runs.front()));
  }
  const Start start(frame, keys);
  Table table = begin_table(start, "predictions", "Predicted and measured: " + frame.study,
                            prediction_notes_of(frame),
                            {{"n", "n"},
                             {"step_predicted_s", "step predicted", "ms", 2, 1000},
                             {"step_band_s", "low to high", "ms", 2, 1000, true},
                             {"step_measured_s", "measured", "ms", 2, 1000},
                             {"step_error", "error", "%", 1, 100},
                             {"epoch_predicted_s", "epoch predicted", "s", 2},
                             {"epoch_band_s", "low to high", "s", 2, 1, true},
                             {"epoch_measured_s", "measured", "s", 2},
                             {"epoch_error", "error", "%", 1, 100},
                             {"made", "predicted"}});
  const auto steps = scored(frame, "step_s"), epochs = scored(frame, "epoch_s");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Row row = start.row(keys[i], shown[i]->said.gpus);
    row.number(static_cast<double>(runs_of(by_id, *shown[i]).size()));
    add_scored(row, steps, *shown[i]);
    add_scored(row, epochs, *shown[i]);
    row.text(shown[i]->afterwards ? "afterwards" : "before");
    row.into(table);
  }
  return table;
}

Table prediction_errors_table(const Frame& frame, const AnalysisOptions&) {
  Table table{.id = "prediction-errors",
              .title = "How wrong predictions have been: " + frame.study,
              .notes = prediction_notes_of(frame),
              .columns = {{"quantity", "quantity"},
                          {"n", "points"},
                          {"median_error", "median |error|", "%", 1, 100},
                          {"worst_error", "worst error", "%", 1, 100},
                          {"bias", "median error", "%", 1, 100},
                          {"inside", "within the band", "%", 0, 100},
                          {"afterwards", "predicted afterwards"},
                          {"worst", "worst at"}}};
  for (const PredictedQuantity& quantity : predicted_quantities()) {
    const auto summary = summary_of(score(frame, quantity));
    if (!summary) continue;
    const auto points = static_cast<double>(summary->points);
    Row row;
    row.text(quantity.title).number(points).number(summary->median_error);
    row.number(summary->worst_error).number(summary->bias);
    row.number(static_cast<double>(summary->inside) / points);
    row.number(static_cast<double>(summary->afterwards)).text(summary->worst->run_id);
    row.into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
