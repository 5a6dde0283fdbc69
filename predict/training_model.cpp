// SPDX-License-Identifier: Apache-2.0
#include "predict/training_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "predict/workload.hpp"

namespace dlscale::predict {
namespace {

constexpr const char* kMeasuredDevice = "measured";  // name that no file in devices/ has

/// Returns the factors of the likely range of an all-reduce that was estimated from measurements.
Factors sure_of(const AllReduceEstimate& estimate) {
  const double error = estimate.uncertainty();
  return {1 / (1 + error), 1 + error};
}

/// Returns the topology of the measurements with the same placement. If this placement was not
/// measured, returns the first topology that was measured on one node for ranks on one node, or on
/// several nodes for other ranks.
std::string topology_for(const contract::Calibration& calibration, Placement ranks) {
  std::string named;
  for (const contract::AllReduceTime& time : calibration.all_reduce) {
    if (time.nodes == ranks.nodes && time.gpus == ranks.gpus) return time.topology;
    if ((time.nodes == 1) == (ranks.nodes == 1) && named.empty()) named = time.topology;
  }
  return named;
}

/// Returns the distance between two GPU counts as the absolute value of log₂(ratio).
double apart(int gpus, int others) {
  return std::abs(std::log2(static_cast<double>(gpus) / others));
}

/// Returns the kernel models of a calibration. Returns nothing if no kernel was measured in this
/// precision, because a cost model may serve two precisions that differ in time.
std::vector<contract::KernelModel> kernels_of(const contract::Calibration& calibration,
                                              const std::string& precision) {
  const auto& all = calibration.kernel_models;
  const bool any = std::any_of(all.begin(), all.end(),
                               [&](const auto& model) { return model.precision == precision; });
  return any ? all : std::vector<contract::KernelModel>{};
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

std::optional<double> Measurements::hidden_most(const std::string& framework,
                                                Placement ranks) const {
  // Penalty added to the distance if one placement is on one node and the other is on several
  // nodes. It is larger than the distance between any two GPU counts.
  constexpr double kOtherLinks = 64;
  std::optional<double> hidden;
  double least = 0;
  for (const contract::ExchangeTime& time : calibration_.exchange) {
    if (time.framework != framework) continue;
    const bool same_links = (time.nodes == 1) == (ranks.nodes == 1);
    const double distance = apart(time.gpus, ranks.gpus) + (same_links ? 0 : kOtherLinks);
    if (hidden && distance >= least) continue;
    hidden = time.hidden;
    least = distance;
  }
  return hidden;
}

Seconds Measurements::wait_per_sample(const std::string& loader, const std::string& dataset) const {
  for (const contract::LoadTime& time : calibration_.loading) {
    if (time.loader == loader && time.dataset == dataset) return {time.seconds_per_sample};
  }
  return {};
}

int measured_gpus(const contract::RunSpec& run, const contract::ModelCard& card,
                  const contract::Calibration& calibration) {
  const std::vector<contract::LoadTime>& loading = calibration.loading;
  const bool loads = std::any_of(loading.begin(), loading.end(), [&](const auto& time) {
    return time.loader == run.loader && time.dataset == run.dataset.kind;
  });
  const auto steps = times_of(calibration.compute, card, run.precision);
  if (steps.empty() || (sample_source(run) == SampleSource::input_pipeline && !loads)) return 1;
  int most = 1;
  for (const contract::ComputeTime& time : steps) {
    if (time.framework.empty() || time.framework == run.framework) {
      most = std::max(most, time.ranks_on_node);
    }
  }
  for (const contract::ExchangeTime& time : calibration.exchange) {
    if (time.framework == run.framework) most = std::max(most, time.gpus);
  }
  return most;
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
  model.missing.spread = published_spread(sample_source(run), hardware.site);
  if (measured != nullptr) {
    const contract::Calibration& calibration = measured->calibration();
    model.missing.measured_gpus = measured_gpus(run, card, calibration);
    model.computing.measured =
        times_as_in(times_of(calibration.compute, card, run.precision), run.framework);
    model.computing.kernels = kernels_of(calibration, run.precision);
    const double unmeasured = run.resources.device == "cpu" ? 0 : 1;
    model.hidden_most = [measured, framework = run.framework, unmeasured](Placement ranks) {
      return measured->hidden_most(framework, ranks).value_or(unmeasured);
    };
    // The recorded latency of inference excludes loading.
    if (run.mode.empty()) {
      model.wait_per_sample = measured->wait_per_sample(run.loader, run.dataset.kind);
    }
  }
  model.all_reduce = [network = hardware.network, algorithm = all_reduce_of(run, hardware.network),
                      measured, other_link = hardware.other_link](Placement ranks, Bytes message) {
    if (measured != nullptr && !(other_link && ranks.nodes > 1)) {
      if (const auto estimate = measured->all_reduce(ranks, message)) return *estimate;
    }
    return LinkEstimate{all_reduce(network, ranks, message, algorithm), kDataSheetSure};
  };
  return model;
}

bool is_measured_alone(const Device& device) {
  return device.name == kMeasuredDevice;
}

std::string not_measured_on(const contract::Calibration& calibration, const Device& device) {
  if (calibration.device.empty() || is_measured_alone(device)) return "";
  const bool named =
      std::any_of(device.match.begin(), device.match.end(), [&](const std::string& part) {
        return !part.empty() && calibration.device.find(part) != std::string::npos;
      });
  if (named) return "";
  return "the calibration was measured on " + calibration.device + ", but these runs use " +
         device.title + " (" + device.name +
         "; its key `match` lists parts of the device names that the driver reports)";
}

std::string fixed_rates(const TrainingModel& model) {
  const bool steps = !model.computing.measured.empty();
  if (!steps && model.computing.kernels.empty()) return "";
  return std::string("the calibration contains ") + (steps ? "steps of " : "kernels for ") +
         model.card.model +
         ", which cannot be converted to another peak or bandwidth; use --calibration none to "
         "predict from the data sheet";
}

Device measured_device(const contract::Calibration& calibration, const std::string& precision) {
  // The ratio of ten FLOPs per byte is typical of CPUs. The rates only distribute the measured time
  // among the layers, so only the ratio of the two rates matters.
  Device device{.name = kMeasuredDevice, .title = calibration.device};
  device.peak[precision] = teraflops(1);
  device.memory_bandwidth = gigabytes_per_s(100);
  return device;
}

}  // namespace dlscale::predict
