// SPDX-License-Identifier: Apache-2.0
#include "predict/training_model.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "predict/workload.hpp"

namespace dlscale::predict {
namespace {

constexpr const char* kMeasuredDevice = "measured";  // no file of devices/ has that name

/// How sure an estimate from measurements is.
Factors sure_of(const AllReduceEstimate& estimate) {
  constexpr double kInside = 0.05, kOutside = 0.1, kErrors = 2;
  double error = kInside;
  if (estimate.basis == Basis::beyond_sizes) error = kOutside;
  if (estimate.basis == Basis::beyond_gpus) {
    error = std::max(kOutside, kErrors * estimate.relative_error);
  }
  return {1 / (1 + error), 1 + error};
}

/// Of the measurements on one node or on several, as the ranks are; the exact placement first.
std::string topology_for(const contract::Calibration& calibration, Placement ranks) {
  std::string named;
  for (const contract::AllReduceTime& time : calibration.all_reduce) {
    if (time.nodes == ranks.nodes && time.gpus == ranks.gpus) return time.topology;
    if ((time.nodes == 1) == (ranks.nodes == 1) && named.empty()) named = time.topology;
  }
  return named;
}

}  // namespace

std::optional<LinkEstimate> Measurements::all_reduce(Placement ranks, Bytes message) const {
  if (all_reduces_.empty()) return std::nullopt;
  try {
    const auto estimate = all_reduces_.estimate(topology_for(calibration_, ranks), ranks, message);
    return LinkEstimate{estimate.time, sure_of(estimate)};
  } catch (const base::UsageError&) {
    return std::nullopt;
  }
}

std::optional<double> Measurements::hidden_most(const std::string& framework, int gpus) const {
  const contract::ExchangeTime* nearest = nullptr;
  for (const contract::ExchangeTime& time : calibration_.exchange) {
    if (time.framework != framework) continue;
    if (nearest == nullptr || std::abs(time.gpus - gpus) < std::abs(nearest->gpus - gpus)) {
      nearest = &time;
    }
  }
  return nearest == nullptr ? std::nullopt : std::optional(nearest->hidden);
}

Seconds Measurements::wait_per_sample(const std::string& loader, const std::string& dataset) const {
  for (const contract::LoadTime& time : calibration_.loading) {
    if (time.loader == loader && time.dataset == dataset) return {time.seconds_per_sample};
  }
  return {};
}

TrainingModel training_model(const contract::RunSpec& run, const contract::ModelCard& card,
                             const Hardware& hardware, const Measurements* measured) {
  TrainingModel model{.card = card,
                      .computing = {.rates = rates_of(hardware.device, run.precision),
                                    .optimizer_states = optimizer_states(run.optimizer.kind,
                                                                         run.optimizer.momentum),
                                    .roofline_sure = kRooflineSure},
                      .gpus_per_node = hardware.gpus_per_node,
                      .setting = step_setting(run)};
  if (measured != nullptr) {
    model.computing.measured = times_of(measured->calibration().compute, card);
    model.computing.kernels = measured->calibration().kernel_models;
    for (const contract::ComputeTime& time : model.computing.measured) {
      model.setting.rank_deviation =
          std::max(model.setting.rank_deviation, Seconds{time.deviation_s});
    }
    const double unmeasured = run.resources.device == "cpu" ? 0 : 1;
    model.setting.hidden_most = measured->hidden_most(run.framework, run.gpus).value_or(unmeasured);
    model.wait_per_sample = measured->wait_per_sample(run.loader, run.dataset.kind);
  }
  model.all_reduce = [network = hardware.network, algorithm = all_reduce_of(run), measured](
                         Placement ranks, Bytes message) {
    if (measured != nullptr) {
      if (const auto estimate = measured->all_reduce(ranks, message)) return *estimate;
    }
    return LinkEstimate{all_reduce(network, ranks, message, algorithm), kDataSheetSure};
  };
  return model;
}

bool is_measured_alone(const Device& device) {
  return device.name == kMeasuredDevice;
}

Device measured_device(const contract::Calibration& calibration, const std::string& precision) {
  // Ten FLOPs for each byte, as CPUs have them: only ratios between layers come of it.
  Device device{.name = kMeasuredDevice, .title = calibration.device};
  device.peak[precision] = teraflops(1);
  device.memory_bandwidth = gigabytes_per_s(100);
  return device;
}

}  // namespace dlscale::predict
