// SPDX-License-Identifier: Apache-2.0
#include "predict/scaling_curve.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::predict {
namespace {

constexpr double kSecondsPerHour = 3600;

/// What a point is if computing and reducing take so much longer or shorter.
struct Variant {
  double computing;
  double reducing;
};

Placement place(const TrainingModel& model, int gpus) {
  return {(gpus + model.gpus_per_node - 1) / model.gpus_per_node, gpus};
}

/// On the fullest of the nodes: a step is as long as its slowest rank's.
ComputeEstimate computing(const TrainingModel& model, double batch, Placement ranks) {
  ComputeBasis basis = model.computing;
  basis.ranks_on_node = (ranks.gpus + ranks.nodes - 1) / ranks.nodes;
  return estimate_compute(model.card, batch, basis);
}

StepTime step_of(const TrainingModel& model, const ComputeTimes& times, Placement ranks,
                 double batch, Variant variant) {
  ComputeTimes varied = times;
  for (LayerTime& layer : varied.layers) {
    layer.forward.time = layer.forward.time * variant.computing;
    layer.backward.time = layer.backward.time * variant.computing;
  }
  varied.optimizer = varied.optimizer * variant.computing;
  StepSetting setting = model.setting;
  setting.load = model.load_per_sample * (batch * setting.passes);
  setting.wait = model.wait_per_sample * (batch * setting.passes);
  const AllReduceCost cost = [&](Bytes message) {
    return model.all_reduce(ranks, message).time * variant.reducing;
  };
  return step_time(model.card, varied, ranks.gpus, cost, setting);
}

/// The nominal value with its distance to each pair of variants, in quadrature.
template <class Value>
Band band(const std::vector<Variant>& variants, const Value& value) {
  Band result{value(Variant{1, 1})};
  double below = 0, above = 0;
  for (std::size_t i = 0; i + 1 < variants.size(); i += 2) {
    const double a = value(variants[i]), b = value(variants[i + 1]);
    below += std::pow(std::max(0.0, result.value - std::min(a, b)), 2);
    above += std::pow(std::max(0.0, std::max(a, b) - result.value), 2);
  }
  result.low = std::max(0.0, result.value - std::sqrt(below));
  result.high = result.value + std::sqrt(above);
  return result;
}

}  // namespace

StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing_factor,
                 double reducing) {
  return step_of(model, computing(model, batch, ranks).times, ranks, batch,
                 {computing_factor, reducing});
}

std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus) {
  std::vector<CurvePoint> curve;
  if (gpus.empty()) return curve;
  const Placement first = place(model, gpus.front());
  const double first_batch = setting.batch_per_gpu;
  const ComputeEstimate at_first = computing(model, first_batch, first);
  const Bytes gradients = kSingle * static_cast<double>(model.card.parameters);
  for (const int count : gpus) {
    const Placement ranks = place(model, count);
    const double batch = setting.strong ? first_batch * first.gpus / count : first_batch;
    if (batch < 1) break;
    const ComputeEstimate here = computing(model, batch, ranks);
    const Factors links = model.all_reduce(ranks, gradients).sure;
    const std::vector<Variant> variants{
        {here.sure.low, 1}, {here.sure.high, 1}, {1, links.low}, {1, links.high}};
    const auto step_s = [&](Variant v) {
      return step_of(model, here.times, ranks, batch, v).total().value;
    };
    const auto cost = [&](Variant v) { return step_s(v) / batch; };
    const auto first_cost = [&](Variant v) {
      return step_of(model, at_first.times, first, first_batch, v).total().value / first_batch;
    };
    CurvePoint point{.ranks = ranks, .batch_per_gpu = batch, .extrapolated = here.extrapolated};
    point.step = step_of(model, here.times, ranks, batch, {1, 1});
    point.step_s = band(variants, step_s);
    const double steps =
        std::ceil(static_cast<double>(setting.samples) / (batch * count * model.setting.passes));
    point.epoch_s = {point.step_s.value * steps, point.step_s.low * steps,
                     point.step_s.high * steps};
    point.efficiency = band(variants, [&](Variant v) { return first_cost(v) / cost(v); });
    point.samples_per_s = batch * count * model.setting.passes / point.step_s.value;
    point.gpu_hours = point.epoch_s.value * setting.epochs * count / kSecondsPerHour;
    curve.push_back(point);
  }
  return curve;
}

std::vector<int> doubled_counts(int first, int most) {
  std::vector<int> counts;
  for (int count = first; count < most; count *= 2) counts.push_back(count);
  counts.push_back(std::max(first, most));
  return counts;
}

int knee(const std::vector<CurvePoint>& curve, double efficiency) {
  int last = 0;
  for (const CurvePoint& point : curve) {
    if (point.efficiency.value < efficiency) break;
    last = point.ranks.gpus;
  }
  return last;
}

}  // namespace dlscale::predict
