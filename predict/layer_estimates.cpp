// SPDX-License-Identifier: Apache-2.0
#include "predict/layer_estimates.hpp"

#include <cmath>
#include <set>

#include "predict/kernel_model.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {
namespace {

constexpr const char* kStageNames[] = {"forward", "backward", "update"};

/// Estimator for the layers of one step.
class Estimator {
 public:
  Estimator(const contract::StepLayers& step, const std::vector<contract::KernelModel>& models)
      : step_(step),
        models_(models),
        batch_(static_cast<double>(step.batch)),
        states_(optimizer_states(step.optimizer, step.momentum)) {}

  LayerEstimates estimate() {
    for (const contract::MeasuredLayer& layer : step_.layers) {
      const contract::LayerCard& cost = layer.cost;
      const double bytes = bytes_of_value(step_.precision);
      LayerEstimate& estimate = all_.layers.emplace_back();
      estimate.stages = {
          timed(layer.forward_s, cost, Stage::forward, step_.precision,
                forward_kernels(cost, batch_, bytes)),
          timed(layer.backward_s, cost, Stage::backward, step_.precision,
                backward_kernels(cost, batch_, bytes)),
          timed(layer.update_s, cost, Stage::update, kUpdatePrecision, {update(cost)})};
    }
    all_.unknown = {unknown_.begin(), unknown_.end()};
    return std::move(all_);
  }

 private:
  std::optional<std::vector<KernelUse>> update(const contract::LayerCard& cost) const {
    if (cost.parameters <= 0) return std::vector<KernelUse>{};
    return std::vector<KernelUse>{update_kernel(states_, static_cast<double>(cost.parameters))};
  }

  StageTime timed(double measured_s, const contract::LayerCard& cost, Stage stage,
                  const std::string& precision, const std::optional<std::vector<KernelUse>>& uses) {
    StageTime time{.measured_s = measured_s};
    if (uses && uses->empty()) return time;  // the stage computes nothing
    std::string why = kNoKernels;
    const auto seconds = uses ? kernels_time(models_, precision, *uses, why) : std::nullopt;
    if (seconds) {
      time.estimated_s = seconds->value;
    } else if (measured_s > 0) {
      unknown_.insert(cost.kind + " " + to_string(stage) + ": " + why);
    }
    return time;
  }

  const contract::StepLayers& step_;
  const std::vector<contract::KernelModel>& models_;
  double batch_;
  int states_;
  LayerEstimates all_;
  std::set<std::string> unknown_;
};

}  // namespace

const char* to_string(Stage stage) {
  return kStageNames[static_cast<std::size_t>(stage)];
}

LayerEstimates estimate_layers(const contract::StepLayers& step,
                               const std::vector<contract::KernelModel>& models) {
  return Estimator(step, models).estimate();
}

std::optional<StageErrors> errors_of(const LayerEstimates& estimates,
                                     const std::vector<Stage>& stages) {
  StageErrors errors;
  double all_s = 0, relative = 0, absolute_s = 0;
  for (const LayerEstimate& layer : estimates.layers) {
    for (const Stage stage : stages) {
      const StageTime& time = layer.at(stage);
      all_s += time.measured_s;
      const std::optional<double> error = time.error();
      if (!error) continue;
      relative += std::abs(*error);
      absolute_s += std::abs(*time.estimated_s - time.measured_s);
      errors.measured_s += time.measured_s;
      errors.estimated_s += *time.estimated_s;
      ++errors.layers;
    }
  }
  if (errors.layers == 0) return std::nullopt;
  errors.covered = errors.measured_s / all_s;
  errors.relative = relative / errors.layers;
  errors.weighted = absolute_s / errors.measured_s;
  return errors;
}

}  // namespace dlscale::predict
