// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: a torch::nn::Module seen as a Model.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// `Net` is a torch::nn::Module with at::Tensor forward(const at::Tensor&).
template <class Net>
class ModuleModel : public Model {
 public:
  ModuleModel(std::shared_ptr<Net> net, const ModelContext& context) : net_(std::move(net)) {
    net_->to(context.device.torch_device(),
             context.precision == Precision::fp64 ? torch::kDouble : torch::kFloat);
    for (const auto& named : net_->named_parameters()) {
      names_.push_back(named.key());
      parameters_.push_back(named.value());
    }
  }

  at::Tensor forward(const at::Tensor& input) override { return net_->forward(input); }
  void set_training(bool training) override { net_->train(training); }
  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  const std::vector<std::string>& parameter_names() const override { return names_; }
  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    for (const auto& named : net_->named_parameters()) all.push_back({named.key(), named.value()});
    for (const auto& named : net_->named_buffers()) all.push_back({named.key(), named.value()});
    return all;
  }

 private:
  std::shared_ptr<Net> net_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::string> names_;
};

/// Seeds LibTorch's generator, of which a process has one, and keeps it from ranks in other threads
/// until the result is gone.
std::unique_lock<std::mutex> start_drawing(std::uint64_t seed);

/// Makes a Net whose constructor takes the context, with parameters drawn from the context's seed.
template <class Net>
std::unique_ptr<Model> make_module_model(const ModelContext& context) {
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<ModuleModel<Net>>(std::make_shared<Net>(context), context);
}

}  // namespace dlscale::trainer
