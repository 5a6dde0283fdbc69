// SPDX-License-Identifier: Apache-2.0
// A measured step of two layers, and kernel models whose estimates are known.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::test {

/// Returns a model that estimates `seconds` for each size from 1 to 1e9.
inline contract::KernelModel constant_model(const std::string& kernel,
                                            const std::vector<std::string>& inputs,
                                            double seconds) {
  const std::size_t n = inputs.size();
  return {.kernel = kernel,
          .inputs = inputs,
          .input_mean = std::vector<double>(n, 0),
          .input_deviation = std::vector<double>(n, 1),
          .output_mean = std::log(seconds),
          .input_least = std::vector<double>(n, 1),
          .input_most = std::vector<double>(n, 1e9),
          .layers = {{std::vector<double>(n, 0), {0}}}};
}

/// Returns a step at batch 8: a linear layer of 10 ms forward, 20 ms backward and 1 ms update, and
/// a ReLU of 2 ms forward and 4 ms backward.
inline contract::StepLayers made_step() {
  contract::MeasuredLayer linear{.forward_s = 0.010, .backward_s = 0.020, .update_s = 0.001};
  linear.cost.name = "classifier.0";
  linear.cost.kind = "addmm";
  linear.cost.parameters = 110;
  linear.cost.forward.written.per_sample = 40;
  linear.cost.backward.written.per_sample = 40;
  linear.cost.size = {{"inputs", 10}, {"outputs", 10}};
  contract::MeasuredLayer relu{.forward_s = 0.002, .backward_s = 0.004};
  relu.cost.name = "classifier.0";
  relu.cost.kind = "relu";
  relu.cost.forward.written.per_sample = 40;
  relu.cost.backward.written.per_sample = 40;
  contract::StepLayers step{.model = "mlp", .input = {1, 4, 4}, .batch = 8};
  step.forward_s = 0.013;
  step.backward_s = 0.025;
  step.repetitions = 5;
  step.layers = {linear, relu};
  step.device = "a CPU";
  return step;
}

/// Returns models that estimate 11 ms and 2 ms for the forward passes of made_step(), 18 ms and
/// 5 ms for the backward passes, and 1 ms for the update.
inline std::vector<contract::KernelModel> made_models() {
  const std::vector<std::string> matrix{"b", "inputs", "outputs"};
  return {constant_model("linear_forward", matrix, 0.011),
          constant_model("linear_backward_data", matrix, 0.008),
          constant_model("linear_backward_filter", matrix, 0.010),
          constant_model("relu_forward", {"n"}, 0.002),
          constant_model("relu_backward", {"n"}, 0.005),
          constant_model("sgd_update", {"n"}, 0.001)};
}

}  // namespace dlscale::test
