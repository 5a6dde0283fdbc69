// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/prediction_series.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/metrics/prediction_score.hpp"
#include "analysis/report/figures/figure_parts.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunPrediction;
using Predictions = std::map<int, const RunPrediction*>;  // predictions by GPU count

/// Returns the saved predictions of each curve, including points that were not measured. The map's
/// key is the text of the curve's key.
std::unordered_map<std::string, Predictions> predictions_by_curve(const Frame& frame) {
  std::unordered_map<std::string, Predictions> curves;
  const RunsById runs = runs_by_id(frame);
  const CurveKeys keys(frame);
  for (const KeptPrediction& kept : frame.predictions) {
    const auto run = kept.run_ids.empty() ? runs.end() : runs.find(kept.run_ids.front());
    if (run == runs.end()) continue;
    curves[to_string(keys.of(*run->second))].emplace(kept.said.gpus, &kept.said);
  }
  return curves;
}

FigurePoint with_band(double gpus, const contract::PredictedValue& said, double scale) {
  return {gpus, said.value * scale, Bounds{said.low * scale, said.high * scale}};
}

/// Returns the predicted value of the quantity `shown` as a point of a figure, or an empty value if
/// it was not predicted. `first` is the prediction of the baseline, or null if the baseline was not
/// predicted.
std::optional<FigurePoint> point_of(const RunPrediction& said, const RunPrediction* first,
                                    PredictedCurve shown) {
  const double gpus = said.gpus, rate = said.samples_per_s.value;
  const bool relative = shown == PredictedCurve::speedup || shown == PredictedCurve::efficiency;
  if (relative && (first == nullptr || first->samples_per_s.value <= 0)) return std::nullopt;
  switch (shown) {
    case PredictedCurve::speedup:
      return FigurePoint{gpus, rate / first->samples_per_s.value, {}};
    case PredictedCurve::efficiency:
      return FigurePoint{gpus, rate / first->samples_per_s.value * first->gpus / gpus, {}};
    case PredictedCurve::throughput:
      return with_band(gpus, said.samples_per_s, 1);
    case PredictedCurve::throughput_per_gpu:
      return with_band(gpus, said.samples_per_s, 1 / gpus);
    case PredictedCurve::epoch_time:
      if (said.epoch_s.value <= 0) return std::nullopt;
      return with_band(gpus, said.epoch_s, 1);
  }
  return std::nullopt;
}

Series series_of(const Series& measured, const Predictions& predictions,
                 const std::optional<Baseline>& baseline, PredictedCurve shown) {
  Series series{.label = measured.label.empty() || measured.label == "measured"
                             ? "predicted"
                             : measured.label + ", predicted",
                .points = {},
                .color = measured.color,
                .mark = kMarkShapes + measured.mark % kMarkShapes,
                .law = true};
  // `predictions` belong to this curve, so they cannot contain a baseline of another curve.
  const bool is_own = baseline && baseline->is_own();
  const auto first = is_own ? predictions.find(baseline->gpus()) : predictions.end();
  for (const auto& [gpus, said] : predictions) {
    const auto point = point_of(*said, first == predictions.end() ? nullptr : first->second, shown);
    if (point) series.points.push_back(*point);
  }
  return series;
}

}  // namespace

void add_predicted(Figure& figure, const Frame& frame, const AnalysisOptions& options,
                   PredictedCurve shown) {
  if (frame.predictions.empty()) return;
  Drawing drawing(frame, options);
  const bool relative = shown == PredictedCurve::speedup || shown == PredictedCurve::efficiency;
  std::vector<Series> added;
  std::unordered_map<std::string, Predictions> predictions = predictions_by_curve(frame);
  for (std::size_t i = 0; i < drawing.curves.size(); ++i) {
    // The figure does not show curves without a baseline.
    if (relative && !drawing.choices[i].baseline) continue;
    const CurveKey& key = drawing.curves[i].key;
    Series series = series_of(drawing.legend.series(key), predictions[to_string(key)],
                              drawing.choices[i].baseline, shown);
    if (!series.points.empty()) added.push_back(std::move(series));
  }
  if (added.empty()) return;
  if (figure.series.size() + added.size() > kMostSeries) {
    figure.notes.emplace_back(
        "predicted curves are not drawn because there would be too many lines; select fewer runs "
        "with --where");
    return;
  }
  bool has_points = false, has_curves = false;
  for (Series& series : added) {
    (series.points.size() == 1 ? has_points : has_curves) = true;
    figure.series.push_back(std::move(series));
  }
  if (has_curves) {
    figure.notes.emplace_back("dashed: prediction; band: range of the prediction, if it has one");
  }
  if (has_points) {
    figure.notes.emplace_back(
        "hollow mark: prediction at one count; bar: range of the prediction, if it has one");
  }
}

}  // namespace dlscale::analysis
