// SPDX-License-Identifier: Apache-2.0
#include "predict/scaling_curve.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "predict/slowest_rank.hpp"

namespace dlscale::predict {
namespace {

constexpr double kSecondsPerHour = 3600;
/// Factors on the wait for the slowest rank. The lower factor is 0, because ranks that slow down
/// together do not wait for each other. The upper factor is the largest ratio of measured to
/// predicted wait that was found.
constexpr Factors kWaitSure{0, 3};  // see docs/prediction-model.md, section Bands

/// Factors by which the times of computing, reducing and waiting for the slowest rank differ from
/// the predicted times.
struct Variant {
  double computing;
  double reducing;
  double waiting = 1;
};

/// Returns the computation of a rank on the node with the most ranks. The ranks on this node are
/// the slowest, and the slowest rank determines the time of a step.
ComputeEstimate computing(const TrainingModel& model, double batch, Placement ranks) {
  ComputeBasis basis = model.computing;
  basis.ranks_on_node = (ranks.gpus + ranks.nodes - 1) / ranks.nodes;
  return estimate_compute(model.card, batch, basis);
}

/// Returns the mean wait for the slowest rank. Deviations of accumulated passes average out, so the
/// wait grows with the square root of the passes.
Seconds wait_for_slowest(const ComputeEstimate& computing, Placement ranks, const Share& share) {
  if (computing.deviation.value <= 0) return {};
  return computing.deviation * (std::sqrt(share.passes) * mean_largest(ranks.gpus));
}

/// Returns the estimated time of a message from the first device to another device, as a mean over
/// all other devices. The time is that of an all-reduce between two ranks, which also moves `size`
/// bytes in each direction of the link.
LinkEstimate message_of(const TrainingModel& model, Placement ranks, Bytes size) {
  const int inside = (ranks.gpus + ranks.nodes - 1) / ranks.nodes - 1;
  const int outside = ranks.gpus - 1 - inside;
  LinkEstimate mean{{}, {1, 1}};
  const auto add = [&](Placement pair, int devices) {
    if (devices <= 0) return;
    const LinkEstimate one = model.all_reduce(pair, size);
    mean.time += one.time * devices / (ranks.gpus - 1);
    mean.sure = {std::min(mean.sure.low, one.sure.low), std::max(mean.sure.high, one.sure.high)};
  };
  add({1, 2}, inside);
  add({2, 2}, outside);
  return mean;
}

/// Returns the estimated time of one exchange of `size` bytes in a step: a message of the first
/// device if the first device exchanges with the other devices, else an all-reduce.
LinkEstimate exchange_of(const TrainingModel& model, Placement ranks, Bytes size) {
  return model.setting.agreement == Agreement::central ? message_of(model, ranks, size)
                                                       : model.all_reduce(ranks, size);
}

StepTime step_of(const TrainingModel& model, const ComputeEstimate& computing, Placement ranks,
                 const Share& share, Variant variant) {
  ComputeTimes varied = computing.times;
  for (LayerTime& layer : varied.layers) {
    layer.forward.time = layer.forward.time * variant.computing;
    layer.backward.time = layer.backward.time * variant.computing;
  }
  varied.optimizer = varied.optimizer * variant.computing;
  StepSetting setting = model.setting;
  if (model.hidden_most) setting.hidden_most = model.hidden_most(ranks);
  setting.passes = share.passes;
  setting.batch = share.batch;
  // With Agreement::central, one loader reads the samples of all devices.
  const int loaded_ranks = setting.agreement == Agreement::central ? ranks.gpus : 1;
  setting.wait = model.wait_per_sample * (share.batch * share.passes * loaded_ranks);
  setting.slowest_wait = wait_for_slowest(computing, ranks, share) * variant.waiting;
  const AllReduceCost cost = [&](Bytes message) {
    return exchange_of(model, ranks, message).time * variant.reducing;
  };
  return step_time(model.card, varied, ranks.gpus, cost, setting);
}

/// Returns the value for the predicted times, with a band. In each pair of variants, one variant
/// lowers the value and the other raises it. The changes of all pairs are added in quadrature.
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

/// Returns two variants of the step for each uncertain part, one with a low and one with a high
/// factor. The uncertain parts are computation, all-reduces and the wait for the slowest rank.
std::vector<Variant> variants_of(const TrainingModel& model, const ComputeEstimate& computing,
                                 Placement ranks) {
  const Bytes gradients =
      number_width(model.card.precision) * static_cast<double>(model.card.parameters);
  const Factors links = ranks.gpus > 1 ? exchange_of(model, ranks, gradients).sure : Factors{1, 1};
  return {{computing.sure.low, 1}, {computing.sure.high, 1}, {1, links.low},
          {1, links.high},         {1, 1, kWaitSure.low},    {1, 1, kWaitSure.high}};
}

Band step_band_of(const TrainingModel& model, const ComputeEstimate& computing, Placement ranks,
                  const Share& share) {
  const auto step_s = [&](Variant v) {
    return step_of(model, computing, ranks, share, v).total().value;
  };
  return widened(band(variants_of(model, computing, ranks), step_s),
                 model.missing.of_step(ranks.gpus));
}

double steps_of_epoch(const CurveSetting& setting, double global_batch) {
  // Tolerance for rounding errors, which occur because strong scaling divides batches.
  constexpr double kRounding = 1e-9;
  const double steps = static_cast<double>(setting.samples) / global_batch;
  return setting.drops_last ? std::max(1.0, std::floor(steps * (1 + kRounding)))
                            : std::ceil(steps * (1 - kRounding));
}

/// Returns the number of samples of a rank in a step, as the mean over the ranks.
double mean_samples(const Share& share, int ranks) {
  return share.global_batch > 0 ? share.global_batch / ranks : share.batch * share.passes;
}

}  // namespace

StepTime step_at(const TrainingModel& model, Placement ranks, double batch, double computing_factor,
                 double reducing) {
  return step_of(model, computing(model, batch, ranks), ranks, {batch, model.setting.passes},
                 {computing_factor, reducing});
}

Band step_band(const TrainingModel& model, Placement ranks, const Share& share) {
  return step_band_of(model, computing(model, share.batch, ranks), ranks, share);
}

std::vector<Placement> exchange_placements(const StepSetting& setting, Placement ranks) {
  std::vector<Placement> needed;
  if (ranks.gpus < 2) return needed;
  if (setting.agreement == Agreement::central) {
    if (ranks.gpus > ranks.nodes) needed.push_back({1, 2});
    if (ranks.nodes > 1) needed.push_back({2, 2});
  } else if (!setting.forward_only) {
    needed.push_back(ranks);
  }
  return needed;
}

Share share_at(const std::map<int, Share>& shares, bool strong, int gpus) {
  const auto above = shares.upper_bound(gpus);
  const auto& [count, share] = above == shares.begin() ? *above : *std::prev(above);
  if (!strong || count == gpus) return {share.batch, share.passes, share.global_batch};
  if (share.global_batch > 0) return {share.global_batch / (gpus * share.passes), share.passes};
  return {share.batch * count / gpus, share.passes};
}

std::vector<CurvePoint> scaling_curve(const TrainingModel& model, const CurveSetting& setting,
                                      const std::vector<int>& gpus) {
  std::vector<CurvePoint> curve;
  if (gpus.empty()) return curve;
  std::map<int, Share> shares = setting.shares;
  if (shares.empty()) shares[gpus.front()] = {setting.batch_per_gpu, model.setting.passes};
  const Placement first = placement(gpus.front(), model.gpus_per_node);
  const Share first_share = share_at(shares, setting.strong, first.gpus);
  const ComputeEstimate at_first = computing(model, first_share.batch, first);
  for (const int count : gpus) {
    const Placement ranks = placement(count, model.gpus_per_node);
    const Share share = share_at(shares, setting.strong, count);
    if (share.batch < 1) break;
    const double samples = mean_samples(share, count);
    const ComputeEstimate here = computing(model, share.batch, ranks);
    const auto cost = [&](Variant v) {
      return step_of(model, here, ranks, share, v).total().value / samples;
    };
    const auto first_cost = [&](Variant v) {
      // The error of the computing time is common to this point and the first point only if both of
      // their batches are close to the measured batches, or both are far from them. Otherwise the
      // error at one batch does not determine the error at the other batch.
      if (here.extrapolated != at_first.extrapolated) v.computing = 1;
      return step_of(model, at_first, first, first_share, v).total().value /
             mean_samples(first_share, first.gpus);
    };
    CurvePoint point{
        .ranks = ranks, .batch_per_gpu = share.batch, .extrapolated = here.extrapolated};
    point.step = step_of(model, here, ranks, share, {1, 1});
    point.step_s = step_band_of(model, here, ranks, share);
    point.epoch_s = scaled(point.step_s, steps_of_epoch(setting, samples * count));
    point.efficiency = widened(
        band(variants_of(model, here, ranks), [&](Variant v) { return first_cost(v) / cost(v); }),
        model.missing.of_efficiency(first.gpus, count));
    point.samples_per_s = samples * count / point.step_s.value;
    point.run_s = setting.steps > 0 ? scaled(point.step_s, static_cast<double>(setting.steps))
                                    : scaled(point.epoch_s, setting.epochs);
    point.gpu_hours = point.run_s.value * count / kSecondsPerHour;
    curve.push_back(point);
  }
  return curve;
}

Band throughput(const CurvePoint& point) {
  const double samples = point.samples_per_s * point.step_s.value;  // samples of a step
  return {point.samples_per_s, samples / point.step_s.high, samples / point.step_s.low};
}

std::vector<int> doubled_counts(int first, int most) {
  std::vector<int> counts;
  for (int count = first; count < most; count *= 2) counts.push_back(count);
  counts.push_back(std::max(first, most));
  return counts;
}

int knee(const std::vector<CurvePoint>& curve, double efficiency, double Band::*edge) {
  int last = 0;
  for (const CurvePoint& point : curve) {
    if (point.efficiency.*edge < efficiency) break;
    last = point.ranks.gpus;
  }
  return last;
}

}  // namespace dlscale::predict
