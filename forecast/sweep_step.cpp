// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep_step.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "predict/workload.hpp"

namespace dlscale::forecast {
namespace {

constexpr double kMostRanks = 1e7;  // maximum number of ranks, more than any machine has

/// Predicted step, or the reason why the step is unknown.
struct Attempt {
  std::optional<SweptStep> step;
  std::string why;
};

/// Returns why the times of a model cannot be converted to another peak or memory bandwidth.
/// Returns an empty text if the times can be converted.
std::string fixed_times(const predict::TrainingModel& model, const PredictedCurve& curve) {
  const predict::Device& device = curve.hardware.device;
  if (predict::is_measured_alone(device)) {
    return "the measured steps of " + device.title +
           " cannot be converted to another peak or bandwidth without a data sheet (use --what-if "
           "gpu=NAME with --calibration none)";
  }
  return predict::fixed_rates(model);
}

/// Returns why the time of an all-reduce is unknown.
std::string unknown_link(const StudyPrediction& study, const predict::Network& network,
                         predict::Placement ranks) {
  if (ranks.nodes > 1 && network.between.bandwidth.value <= 0) {
    return "the link between the nodes of " + study.site +
           " is unknown: set link_gbit_s in its partition, or use --what-if link=100Gbps";
  }
  return "the calibration has no all-reduce that applies to this number of ranks, and no data "
         "sheet describes the connection within a node";
}

/// Returns the time of all passes and of the optimizer.
predict::Seconds computation(const predict::TrainingModel& model,
                             const predict::ComputeTimes& times) {
  return predict::step_time(model.card, times, 1, {}, model.setting).computing();
}

Attempt sweep_step(const StudyPrediction& study, const PredictedCurve& curve,
                   const std::string& quantity, double value) {
  if (quantity == "gpus" && value > kMostRanks) return {{}, "no machine has this number of GPUs"};
  const int gpus = quantity == "gpus" ? static_cast<int>(value) : curve.planned.back();
  predict::Share share = predict::share_at(curve.shares, curve.strong, gpus);
  if (quantity == "batch") share.batch = value;
  if (share.batch < 1) return {{}, "a GPU has less than one sample"};
  predict::TrainingModel model = model_of(study, curve);
  model.setting.passes = share.passes;
  if (quantity == "peak" || quantity == "memory") {
    if (std::string why = fixed_times(model, curve); !why.empty()) return {{}, std::move(why)};
    predict::Rates& rates = model.computing.rates;
    if (quantity == "peak") rates.peak = predict::teraflops(value);
    if (quantity == "memory") rates.memory_bandwidth = predict::gigabytes_per_s(value);
  }
  const predict::Placement ranks = predict::placement(gpus, curve.hardware.gpus_per_node);
  if (is_one_process(curve.first) && ranks.nodes > 1) {
    return {{}, "one process cannot use GPUs of several nodes"};
  }
  predict::Network network = curve.hardware.network;
  if (quantity == "link") {
    if (ranks.nodes == 1)
      return {{}, "all GPUs are on one node, so the link between nodes is not used"};
    network.between.bandwidth = predict::gigabits_per_s(value);
    const predict::AllReduce algorithm =
        predict::all_reduce_of(curve.first, curve.hardware.network);
    model.all_reduce = [network, algorithm](predict::Placement of, predict::Bytes message) {
      return predict::LinkEstimate{predict::all_reduce(network, of, message, algorithm),
                                   predict::kDataSheetSure};
    };
  }
  const predict::StepTime step = predict::step_at(model, ranks, share.batch);
  if (!std::isfinite(step.total().value)) return {{}, unknown_link(study, network, ranks)};
  SweptStep swept{value, step, predict::step_band(model, ranks, share), {}, {}};
  const predict::ComputeBasis& basis = model.computing;
  if (!predict::is_measured_alone(curve.hardware.device)) {
    swept.roofline = computation(
        model, predict::roofline(model.card, basis.rates, share.batch, basis.optimizer_states));
  }
  if (const auto times = predict::kernel_times(model.card, share.batch, basis)) {
    swept.kernels = computation(model, *times);
  }
  return {std::move(swept), ""};
}

}  // namespace

const SweptQuantity& swept_quantity(const std::string& name) {
  static const std::vector<SweptQuantity> quantities{
      {"peak", "peak_tflops", "peak", "TFLOP/s", 0},
      {"memory", "memory_gb_per_s", "memory bandwidth of a GPU", "GB/s", 0},
      {"link", "link_gbit_s", "link of a node", "Gbit/s", 0},
      {"gpus", "gpus", "GPUs", "", 0},
      {"batch", "batch_per_gpu", "batch per GPU", "", 0}};
  std::vector<std::string> names;
  for (const SweptQuantity& quantity : quantities) {
    if (quantity.name == name) return quantity;
    names.push_back(quantity.name);
  }
  throw base::UsageError(base::unknown_name("quantity", name, names));
}

std::optional<double> value_without_sweep(const StudyPrediction& study, const PredictedCurve& curve,
                                          const std::string& quantity) {
  const int gpus = curve.planned.back();
  if (quantity == "gpus") return gpus;
  if (quantity == "batch") return predict::share_at(curve.shares, curve.strong, gpus).batch;
  if (quantity == "link") {
    const predict::BytesPerSecond link = curve.hardware.network.between.bandwidth;
    if (link.value <= 0) return std::nullopt;
    return link / predict::gigabits_per_s(1);
  }
  if (predict::is_measured_alone(curve.hardware.device)) return std::nullopt;
  const predict::Rates rates = model_of(study, curve).computing.rates;
  return quantity == "peak" ? rates.peak / predict::teraflops(1)
                            : rates.memory_bandwidth / predict::gigabytes_per_s(1);
}

SweptCurve swept_curve(const StudyPrediction& study, const PredictedCurve& curve,
                       const Sweep& sweep) {
  SweptCurve swept;
  std::map<std::string, std::vector<double>> left_out;
  for (const double value : sweep.values) {
    Attempt attempt = sweep_step(study, curve, sweep.name, value);
    if (attempt.step) {
      swept.steps.push_back(*attempt.step);
    } else {
      left_out[attempt.why].push_back(value);
    }
  }
  for (const auto& [why, values] : left_out) {
    const bool all = values.size() == sweep.values.size();
    swept.notes.push_back(all ? why
                              : fmt::format("{} {:g}: {}", swept_quantity(sweep.name).title,
                                            fmt::join(values, ", "), why));
  }
  return swept;
}

}  // namespace dlscale::forecast
