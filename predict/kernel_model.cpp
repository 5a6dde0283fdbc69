// SPDX-License-Identifier: Apache-2.0
#include "predict/kernel_model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace dlscale::predict {

double bytes_of_value(std::string_view precision) {
  return precision == "bf16" ? 2 : kSingle.value;
}

namespace {

constexpr const char* kUpdates[] = {"sgd_update", "momentum_update", "adam_update"};

/// Returns weights x inputs + biases of a layer. Applies ReLU unless the layer is the last one.
std::vector<double> pass_layer(const contract::DenseWeights& layer,
                               const std::vector<double>& inputs, bool last) {
  std::vector<double> outputs = layer.biases;
  const double* weight = layer.weights.data();
  for (double& output : outputs) {
    for (const double input : inputs) output += *weight++ * input;
    if (!last) output = std::max(0.0, output);
  }
  return outputs;
}

bool is_activation(std::string_view kind) {
  return kind == "relu_" || kind == "relu" || kind == "threshold_" || kind == "threshold";
}

/// Returns the size of an element-wise kernel: the number of values that the forward pass writes.
KernelSize vector_size(const contract::LayerCard& layer, double batch, double bytes_of_number) {
  return {{"n", layer.forward.written.at(batch) / bytes_of_number}};
}

KernelSize with_batch(const contract::LayerCard& layer, double batch) {
  KernelSize size(layer.size.begin(), layer.size.end());
  size["b"] = batch;
  return size;
}

std::optional<std::vector<KernelUse>> sized(const contract::LayerCard& layer, double batch,
                                            const std::vector<std::string_view>& kernels) {
  if (layer.size.empty()) return {};
  std::vector<KernelUse> uses;
  for (const std::string_view kernel : kernels) uses.push_back({kernel, with_batch(layer, batch)});
  return uses;
}

bool costs_nothing(const contract::PassCost& pass, double batch) {
  return pass.flops.at(batch) + pass.read.at(batch) + pass.written.at(batch) <= 0;
}

const contract::KernelModel* find_model(const std::vector<contract::KernelModel>& models,
                                        std::string_view kernel, std::string_view precision) {
  const auto found = std::find_if(models.begin(), models.end(), [&](const auto& model) {
    return model.kernel == kernel && model.precision == precision;
  });
  return found == models.end() ? nullptr : &*found;
}

/// Accumulator that replaces roofline times with times of kernel models, and sums the roofline
/// times that it has replaced.
class Learner {
 public:
  Learner(const std::vector<contract::KernelModel>& models, Seconds roofline)
      : models_(models), roofline_(roofline) {}

  void learn(Seconds& time, const std::string& precision,
             const std::optional<std::vector<KernelUse>>& uses, const std::string& kind) {
    std::string why = kNoKernels;
    const auto learned = uses ? kernels_time(models_, precision, *uses, why) : std::nullopt;
    if (!learned) {
      if (time.value > 0) unknown_.insert(kind + ": " + why);
      return;
    }
    known_ += time;
    time = *learned;
  }

  double share() const { return roofline_.value > 0 ? known_ / roofline_ : 0; }
  std::vector<std::string> unknown() const { return {unknown_.begin(), unknown_.end()}; }

 private:
  const std::vector<contract::KernelModel>& models_;
  Seconds roofline_, known_;
  std::set<std::string> unknown_;
};

}  // namespace

Seconds evaluate(const contract::KernelModel& model, const KernelSize& size) {
  std::vector<double> values;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    values.push_back((std::log(size.at(model.inputs[i])) - model.input_mean[i]) /
                     model.input_deviation[i]);
  }
  for (const contract::DenseWeights& layer : model.layers) {
    values = pass_layer(layer, values, &layer == &model.layers.back());
  }
  return {std::exp(values.front() * model.output_deviation + model.output_mean)};
}

std::optional<Seconds> kernels_time(const std::vector<contract::KernelModel>& models,
                                    std::string_view precision, const std::vector<KernelUse>& uses,
                                    std::string& why) {
  Seconds sum;
  for (const KernelUse& use : uses) {
    const contract::KernelModel* const model = find_model(models, use.kernel, precision);
    if (model == nullptr) {
      why = "there is no model of " + std::string(use.kernel);
      return {};
    }
    if (!is_inside(*model, use.size)) {
      why = "outside the sizes on which " + std::string(use.kernel) + " was trained";
      return {};
    }
    sum += evaluate(*model, use.size);
  }
  return sum;
}

KernelUse update_kernel(int optimizer_states, double parameters) {
  return {kUpdates[std::clamp(optimizer_states, 0, 2)], {{"n", parameters}}};
}

bool is_inside(const contract::KernelModel& model, const KernelSize& size) {
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const auto found = size.find(model.inputs[i]);
    if (found == size.end() || found->second < model.input_least[i] ||
        found->second > model.input_most[i]) {
      return false;
    }
  }
  return true;
}

std::optional<std::vector<KernelUse>> forward_kernels(const contract::LayerCard& layer,
                                                      double batch, double bytes_of_number) {
  if (costs_nothing(layer.forward, batch)) return std::vector<KernelUse>{};
  const std::string& kind = layer.kind;
  const auto vector = [&](std::string_view kernel) {
    return std::vector<KernelUse>{{kernel, vector_size(layer, batch, bytes_of_number)}};
  };
  if (kind == "conv2d") return sized(layer, batch, {"convolution_forward"});
  if (kind == "batch_norm") return sized(layer, batch, {"batch_norm_forward"});
  if (kind == "max_pool2d") return sized(layer, batch, {"max_pool_forward"});
  if (kind == "avg_pool2d") return sized(layer, batch, {"avg_pool_forward"});
  if (kind == "addmm" || kind == "linear") return sized(layer, batch, {"linear_forward"});
  if (is_activation(kind)) return vector("relu_forward");
  if (kind == "add_" || kind == "add") return vector("add");
  if (kind == "cat") return vector("copy");
  return {};
}

std::optional<std::vector<KernelUse>> backward_kernels(const contract::LayerCard& layer,
                                                       double batch, double bytes_of_number) {
  if (costs_nothing(layer.backward, batch)) return std::vector<KernelUse>{};
  const std::string& kind = layer.kind;
  // The first layer of a model does not compute the gradient of its input. The backward pass of
  // this layer writes only the gradient of the filters.
  const bool wants_data = layer.backward.written.per_sample > 0;
  if (kind == "conv2d") {
    if (!wants_data) return sized(layer, batch, {"convolution_backward_filter"});
    return sized(layer, batch, {"convolution_backward_data", "convolution_backward_filter"});
  }
  if (kind == "addmm" || kind == "linear") {
    if (!wants_data) return sized(layer, batch, {"linear_backward_filter"});
    return sized(layer, batch, {"linear_backward_data", "linear_backward_filter"});
  }
  if (kind == "batch_norm") return sized(layer, batch, {"batch_norm_backward"});
  if (kind == "max_pool2d") return sized(layer, batch, {"max_pool_backward"});
  if (kind == "avg_pool2d") return sized(layer, batch, {"avg_pool_backward"});
  if (is_activation(kind)) {
    return std::vector<KernelUse>{{"relu_backward", vector_size(layer, batch, bytes_of_number)}};
  }
  return {};
}

LearnedTimes learned_times(const contract::ModelCard& card,
                           const std::vector<contract::KernelModel>& models, double batch,
                           int optimizer_states, const Rates& rates) {
  LearnedTimes learned{.times = roofline(card, rates, batch, optimizer_states)};
  ComputeTimes& times = learned.times;
  const double bytes_of_number = bytes_of_value(card.precision);
  Learner learner(models, times.total());
  for (std::size_t i = 0; i < card.layers.size(); ++i) {
    const contract::LayerCard& layer = card.layers[i];
    LayerTime& time = times.layers[i];
    learner.learn(time.forward.time, card.precision, forward_kernels(layer, batch, bytes_of_number),
                  layer.kind + " forward");
    learner.learn(time.backward.time, card.precision,
                  backward_kernels(layer, batch, bytes_of_number), layer.kind + " backward");
  }
  // The optimizer updates fp32 parameters, even if the cost model is for another precision.
  const std::vector<KernelUse> update{
      update_kernel(optimizer_states, static_cast<double>(card.parameters))};
  learner.learn(times.optimizer, kUpdatePrecision, update, "optimizer");
  learned.learned = learner.share();
  learned.unknown = learner.unknown();
  return learned;
}

}  // namespace dlscale::predict
