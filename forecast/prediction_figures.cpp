// SPDX-License-Identifier: Apache-2.0
#include "forecast/prediction_figures.hpp"

#include <fmt/format.h>

#include <utility>

#include "forecast/curve_labels.hpp"
#include "forecast/prediction_grounds.hpp"
#include "forecast/swept_step.hpp"

namespace dlscale::forecast {
namespace {

/// A curve's line, dashed, without points yet.
analysis::Series dashed(const PredictedStudy& study, const PredictedCurve& curve,
                        const analysis::Figure& figure) {
  analysis::Series series{.label = label_of(study, curve)};
  series.color = series.mark = figure.series.size();
  series.law = true;
  return series;
}

/// Of what `band` makes of each point of a curve.
template <class BandOf>
analysis::Figure over_gpus(const PredictedStudy& study, analysis::FigureAxis y, BandOf band) {
  analysis::Figure figure{.subtitle = "on " + study.site,
                          .notes = grounds(study),
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

analysis::Figure predicted_efficiency(const PredictedStudy& study) {
  analysis::Figure figure =
      over_gpus(study, {.id = "efficiency", .title = "efficiency", .from_zero = true},
                [](const predict::CurvePoint& point) { return point.efficiency; });
  figure.title = "Predicted efficiency of " + study.study;
  figure.subtitle += ", against the fewest GPUs of a curve";
  return figure;
}

analysis::Figure predicted_throughput(const PredictedStudy& study) {
  analysis::Figure figure = over_gpus(
      study, {.id = "throughput_samples_per_s", .title = "throughput (samples/s)", .log_base = 10},
      &predict::throughput);
  figure.title = "Predicted throughput of " + study.study;
  return figure;
}

analysis::Figure predicted_epoch_time(const PredictedStudy& study) {
  analysis::Figure figure =
      over_gpus(study, {.id = "epoch_time_s", .title = "time per epoch (s)", .log_base = 10},
                [](const predict::CurvePoint& point) { return point.epoch_s; });
  figure.title = "Predicted time per epoch of " + study.study;
  return figure;
}

analysis::Figure sweep_figure(const PredictedStudy& study, const Sweep& sweep) {
  const SweptQuantity& quantity = swept_quantity(sweep.name);
  const std::string title = quantity.unit.empty()
                                ? quantity.title
                                : fmt::format("{} ({})", quantity.title, quantity.unit);
  analysis::Figure figure{.title = fmt::format("Predicted step over {}", quantity.title),
                          .subtitle = study.study + " on " + study.site,
                          .notes = grounds(study),
                          .x = {.id = quantity.id, .title = title, .log_base = 2},
                          .y = {.id = "step_s", .title = "step time (s)", .log_base = 10},
                          .marks = false};
  for (const PredictedCurve& curve : study.curves) {
    analysis::Series series = dashed(study, curve, figure);
    for (const SweptStep& one : swept_curve(study, curve, sweep).steps) {
      series.points.push_back(
          {one.value, one.step_s.value, analysis::Bounds{one.step_s.low, one.step_s.high}});
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  return figure;
}

}  // namespace dlscale::forecast
