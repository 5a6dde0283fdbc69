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

/// Returns why the times of a model cannot be converted to another peak. Returns an empty text if
/// the times can be converted.
std::string fixed_peak(const predict::TrainingModel& model, const PredictedCurve& curve) {
  const predict::Device& device = curve.hardware.device;
  if (predict::is_measured_alone(device)) {
    return "the measured steps of " + device.title +
           " cannot be converted to another peak without a data sheet (use --what-if gpu=NAME with "
           "--calibration none)";
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

Attempt sweep_step(const StudyPrediction& study, const PredictedCurve& curve,
                   const std::string& quantity, double value) {
  if (quantity == "gpus" && value > kMostRanks) return {{}, "no machine has this number of GPUs"};
  const int gpus = quantity == "gpus" ? static_cast<int>(value) : curve.planned.back();
  predict::Share share = predict::share_at(curve.shares, curve.strong, gpus);
  if (quantity == "batch") share.batch = value;
  if (share.batch < 1) return {{}, "a GPU has less than one sample"};
  predict::TrainingModel model = model_of(study, curve);
  model.setting.passes = share.passes;
  if (quantity == "peak") {
    if (std::string why = fixed_peak(model, curve); !why.empty()) return {{}, std::move(why)};
    model.computing.rates.peak = predict::teraflops(value);
  }
  const predict::Placement ranks = predict::placement(gpus, curve.hardware.gpus_per_node);
  predict::Network network = curve.hardware.network;
  if (quantity == "link") {
    if (ranks.nodes == 1) return {{}, "all GPUs are on one node, which does not use this link"};
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
  return {SweptStep{value, step, predict::step_band(model, ranks, share)}, ""};
}

}  // namespace

const SweptQuantity& swept_quantity(const std::string& name) {
  static const std::vector<SweptQuantity> quantities{
      {"peak", "peak_tflops", "peak", "TFLOP/s", 0},
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
