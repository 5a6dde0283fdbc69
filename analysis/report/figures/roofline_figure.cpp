// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/roofline_figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/figures/figure_parts.hpp"
#include "analysis/report/figures/legend.hpp"
#include "base/text.hpp"
#include "predict/roofline.hpp"
#include "predict/workload.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kUnit = 1e12;  // FLOP/s per TFLOP/s
/// Ratio of intensities by which the roof line extends beyond the first and the last point.
constexpr double kMargin = 4;

/// FLOPs and bytes of the forward and backward pass of all layers for one batch.
struct PassSum {
  double flops = 0;
  double bytes = 0;
  double intensity() const { return flops / bytes; }
};

PassSum sum_of(const contract::ModelCard& card, double batch) {
  PassSum sum;
  for (const contract::LayerCard& layer : card.layers) {
    for (const contract::PassCost* pass : {&layer.forward, &layer.backward}) {
      sum.flops += pass->flops.at(batch);
      sum.bytes += pass->read.at(batch) + pass->written.at(batch);
    }
  }
  return sum;
}

/// Returns the reason why the cost model does not apply to a run, such as "of model vgg16". Returns
/// an empty text if the cost model applies.
std::string mismatch(const RunRow& run, const contract::ModelCard& card,
                     const SampleInputs& inputs) {
  for (const std::string name : {"model", "precision"}) {
    const auto found = run.conditions.find(name);
    if (found == run.conditions.end()) return fmt::format("without a {}", name);
    const bool same = name == "model" ? found->second == card.model
                                      : predict::card_precision(found->second) == card.precision;
    if (!same) return fmt::format("of {} {}", name, found->second);
  }
  if (run.batch_per_gpu <= 0) return "without a batch per GPU";
  const auto input = inputs.find(run.run_id);
  if (input != inputs.end()) {
    const SampleInput& known = input->second;
    if (known.shape != contract::shape_text(card.input)) return "of input " + known.shape;
    if (known.options != card.options) {
      return "of model " + contract::model_text(card.model, known.options);
    }
  }
  const std::int64_t parameters = run.size.trainable_parameters;
  if (parameters > 0 && parameters != card.parameters) {
    return fmt::format("of {} trainable parameters", parameters);
  }
  return "";
}

std::string note_on_others(const std::map<std::string, int>& others,
                           const contract::ModelCard& card) {
  std::vector<std::string> parts;
  for (const auto& [why, points] : others) {
    parts.push_back(fmt::format("{} {}", base::count_of(points, "point"), why));
  }
  return fmt::format(
      "omitted: {}; the cost model is for model {}, {}, input {}, {} trainable parameters",
      fmt::join(parts, ", "), contract::model_text(card.model, card.options), card.precision,
      contract::shape_text(card.input), card.parameters);
}

/// Returns the TFLOP/s that each GPU reached in the run's steps. `flops_of_batch` is the number of
/// FLOPs for one batch of a GPU.
double reached(const RunRow& run, double flops_of_batch) {
  const double samples = static_cast<double>(run.steps.samples) / run.gpus;
  return flops_of_batch * samples / static_cast<double>(run.batch_per_gpu) / run.steps.wall_s /
         kUnit;
}

Series roof(double low, double high, const predict::Rates& rates) {
  const double peak = rates.peak.value;
  const double ridge = peak / rates.memory_bandwidth.value;
  Series series{fmt::format("min({:.4g} TFLOP/s, intensity x {:.4g} GB/s)", peak / kUnit,
                            rates.memory_bandwidth.value / predict::kGiga),
                {},
                6,
                0,
                true};
  for (const double x : {std::min(low, ridge) / kMargin, ridge, std::max(high, ridge) * kMargin}) {
    series.points.push_back({x, std::min(peak, x * rates.memory_bandwidth.value) / kUnit, {}});
  }
  return series;
}

}  // namespace

Figure roofline_figure(const Frame& frame, const AnalysisOptions& options,
                       const contract::ModelCard& card, const predict::Rates& rates,
                       const SampleInputs& inputs) {
  Drawing drawing(frame, options);
  Figure figure;
  figure.title = fmt::format("Roofline of {} in {}", card.model, frame.study);
  figure.subtitle = fmt::format(
      "point labels: number of {}s; FLOPs and bytes of the forward and backward pass from the cost "
      "model; {}",
      drawing.worker, short_statistic(drawing.repeats));
  figure.notes = figure_notes(frame);
  figure.x = {"flop_per_byte", "intensity (FLOP/byte)", 10};
  figure.y = {"tflop_per_s", fmt::format("TFLOP/s per {}", drawing.worker), 10};
  figure.legend_title = drawing.legend.title();
  figure.lines = false;
  figure.note_id = "gpus";
  std::map<double, double> bounds;    // bound of the performance in TFLOP/s, by intensity
  std::map<std::string, int> others;  ///< number of points that are not shown, by reason
  for (const ScalingCurve& curve : drawing.curves) {
    Series series = drawing.legend.series(curve.key);
    for (const CurvePoint& point : curve.points) {
      const RunRow& first = *point.repeats.front();
      if (const std::string why = mismatch(first, card, inputs); !why.empty()) {
        ++others[why];
        continue;
      }
      const auto batch = static_cast<double>(first.batch_per_gpu);
      const PassSum sum = sum_of(card, batch);
      std::vector<double> rates_reached;
      for (const RunRow* run : point.repeats) rates_reached.push_back(reached(*run, sum.flops));
      series.points.push_back({sum.intensity(), median(rates_reached),
                               bounds_of(interval_of_median(rates_reached)),
                               std::to_string(point.gpus)});
      const predict::ComputeTimes times = predict::roofline(card, rates, batch, 0);
      bounds[sum.intensity()] = sum.flops / (times.forward() + times.backward()).value / kUnit;
    }
    if (!series.points.empty()) figure.series.push_back(std::move(series));
  }
  if (!others.empty()) figure.notes.push_back(note_on_others(others, card));
  if (figure.series.empty()) return figure;
  Series layers{"bound: layer by layer", {}, 6, kMarkShapes};
  for (const auto& [intensity, bound] : bounds) layers.points.push_back({intensity, bound, {}});
  figure.series.push_back(std::move(layers));
  figure.series.push_back(roof(bounds.begin()->first, bounds.rbegin()->first, rates));
  return figure;
}

}  // namespace dlscale::analysis
