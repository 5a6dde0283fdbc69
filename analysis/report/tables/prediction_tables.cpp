// SPDX-License-Identifier: Apache-2.0
// Builds the tables of predictions: scaling laws that are fitted to step times, saved predictions
// next to measurements, and errors of saved predictions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/metrics/prediction_score.hpp"
#include "analysis/metrics/scaling/knee.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

// Table of the scaling laws that are fitted to the step times of each curve.

namespace {

constexpr int kReaches[] = {2, 8};

/// Returns the formula of a fitted law with its coefficients and their intervals, such as "a + b
/// log2(G); a = 50.4 [50.1, 50.8], b = 0.34 [0.28, 0.4]". The coefficients are for times in
/// milliseconds.
std::string formula_of(const WeightedFit& one, Work work) {
  const double unit = one.fit.law->of_rate ? 1e-3 : 1e3;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < one.fit.coefficients.size(); ++i) {
    std::string part =
        fmt::format("{} = {:.4g}", static_cast<char>('a' + i), unit * one.fit.coefficients[i]);
    if (i < one.intervals.size()) {
      part += fmt::format(" [{:.4g}, {:.4g}]", unit * one.intervals[i].low,
                          unit * one.intervals[i].high);
    }
    parts.push_back(std::move(part));
  }
  return fmt::format("{}; {}", form_of(*one.fit.law, work).text, fmt::join(parts, ", "));
}

std::vector<Column> fit_columns_of() {
  std::vector<Column> columns{{"law", "law"},          {"formula", "T in ms"},
                              {"points", "points"},    {"leave_one_out", "left out", "%", 2, 100},
                              {"aicc", "AICc", "", 1}, {"weight", "weight", "", 2}};
  for (const int reach : kReaches) {
    const std::string id = fmt::format("step_time_at_{}x_s", reach);
    columns.push_back({id, fmt::format("step time on {} times the GPUs", reach), "ms", 2, 1000});
    columns.push_back({id, "95 % interval", "ms", 2, 1000, true});
  }
  return columns;
}

void add_law_rows(Table& table, const Start& start, const CurveKey& key,
                  const LawAverage& average) {
  const LawData& data = average.data();
  const auto last = static_cast<int>(data.last_gpus());
  for (const WeightedFit& one : average.fits()) {
    Row row = start.row(key, last);
    row.text(one.fit.law->name).text(formula_of(one, data.work));
    row.number(static_cast<double>(data.points.size())).number(one.fit.leave_one_out);
    row.number(one.fit.aicc).number(one.weight);
    for (const int reach : kReaches) {
      row.number(predicted_time(one.fit, data, reach * data.last_gpus())).nothing();
    }
    row.into(table);
  }
  Row row = start.row(key, last);
  row.text("average").text(fmt::format("best: {}", average.best().law->name));
  row.number(static_cast<double>(data.points.size())).nothing().nothing().number(1);
  for (const int reach : kReaches) {
    const Prediction at = average.predict(reach * data.last_gpus());
    row.number(at.time).interval({Interval::Kind::Confidence95, at.low, at.high});
  }
  row.into(table);
}

}  // namespace

Table fit_table(const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  std::vector<std::string> notes{
      describe_mode(frame),
      fmt::format(
          "T: step time for G {0}s, with G0 the smallest measured count; a row shows the largest "
          "measured count, with step times extrapolated to 2 and 8 times that count",
          start.worker),
      fmt::format(
          "coefficients are non-negative, with 95 % intervals from resampled residuals; left out: "
          "root mean square error when each point is predicted from the other points; the average "
          "has equal weights for the laws whose losses grow slower than any power of G, and "
          "excludes laws with more than {:g} times the smallest error",
          kRuledOut)};
  for (const ScalingCurve& curve : curves) {
    const std::string name = name_among(curve.key, start.axes);
    if (!curve.mixed.empty() && !options.allow_mixed) {
      notes.push_back(fmt::format("{}: no law, {} (use --mixed to fit anyway)", name, curve.mixed));
    } else if (curve.points.size() < kFewestForLaws) {
      notes.push_back(fmt::format("{}: no law, the curve only has {}", name,
                                  base::count_of(curve.points.size(), "point")));
    } else if (!tells_step_times(curve)) {
      notes.push_back(fmt::format("{}: no law, its logs do not report steps", name));
    }
  }
  add_frame_notes(notes, frame);
  Table table = begin_table(start, "fit", "Scaling laws of " + frame.study, std::move(notes),
                            fit_columns_of());
  const auto is_fitted = [&](const ScalingCurve& curve) {
    return curve.points.size() >= kFewestForLaws && tells_step_times(curve) &&
           (curve.mixed.empty() || options.allow_mixed);
  };
  // Rows of each curve. The other members of these tables are not used.
  std::vector<Table> parts(curves.size());
  base::parallel_for(curves.size(), [&](std::size_t i) {
    if (!is_fitted(curves[i])) return;
    add_law_rows(parts[i], start, curves[i].key, LawAverage(step_times(curves[i])));
  });
  for (Table& part : parts) {
    std::move(part.rows.begin(), part.rows.end(), std::back_inserter(table.rows));
  }
  return table;
}

// Table of saved predictions next to measurements, and table of the errors of saved predictions.

namespace {

using ScoredPoints = std::unordered_map<const KeptPrediction*, ScoredValue>;

/// Returns the predicted and measured values of the quantity with this id, by prediction.
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
      "error = predicted / measured - 1, with the median of the repeats as the measured value; if "
      "a point has several predictions, the last one before its first launch is used",
      "basis of the predictions: " + rests};
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
              .title = "Errors of saved predictions: " + frame.study,
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
