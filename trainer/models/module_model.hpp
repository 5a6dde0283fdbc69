// SPDX-License-Identifier: Apache-2.0
// Adapter from torch::nn::Module to Model. Only files in models/ use this adapter.
#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/models/dropout.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// A block of a net and its forward function.
struct NetBlock {
  std::string name;
  std::vector<std::string> modules;  ///< names of the modules, for example "conv1", "layer1.0"
  std::function<at::Tensor(const at::Tensor&)> forward;
};

/// A Model that wraps a `Net`. `Net` must be a torch::nn::Module that has the member function
/// std::vector<NetBlock> blocks(). Every parameter and buffer must belong to a module of one of
/// these blocks.
template <class Net>
class ModuleModel : public Model {
 public:
  ModuleModel(std::shared_ptr<Net> net, const ModelContext& context)
      : net_(std::move(net)), stretches_(net_->blocks()) {
    net_->to(context.device.torch_device(),
             context.precision == Precision::fp64 ? torch::kDouble : torch::kFloat);
    for (const at::Tensor& each : net_->parameters()) {
      if (!context.channels_last || each.dim() != 4) continue;
      // A clone is needed even for 1x1 filters, although their order in memory does not change.
      // Only the clone has the strides by which LibTorch recognises a channels-last tensor. The
      // gradients of the parameter get the same strides.
      each.set_data(each.detach().clone(at::MemoryFormat::ChannelsLast));
      channels_last_ = true;
    }
    for (const NetBlock& stretch : stretches_) blocks_.push_back({stretch.name, {}});
    list_parameters(0, stretches_.size());
  }

  const std::vector<Block>& blocks() const override { return blocks_; }
  at::Tensor forward_block(std::size_t index, const at::Tensor& input) override {
    return stretches_[index].forward(channels_last_ ? arranged(input) : input);
  }
  void keep_blocks(std::size_t first, std::size_t last) override {
    const auto drop = [&](const std::string& name, const at::Tensor& tensor) {
      const std::size_t block = block_of(name);
      if (block < first || block >= last) tensor.set_data(at::empty({0}, tensor.options()));
    };
    for (const auto& named : net_->named_parameters()) drop(named.key(), named.value());
    for (const auto& named : net_->named_buffers()) drop(named.key(), named.value());
    list_parameters(first, last);
  }
  void freeze(const std::vector<std::string>& names) override {
    auto all = net_->named_parameters();
    for (const std::string& name : names) all[name].set_requires_grad(false);
    list_parameters(kept_first_, kept_last_);
  }
  void set_training(bool training) override { net_->train(training); }
  const std::vector<at::Tensor>& parameters() const override { return parameters_; }
  const std::vector<std::string>& parameter_names() const override { return names_; }
  std::vector<at::Tensor> buffers() const override {
    std::vector<at::Tensor> all;
    for (const auto& named : net_->named_buffers()) {
      if (is_kept(named.key())) all.push_back(named.value());
    }
    return all;
  }
  std::vector<NamedTensor> weights() override {
    std::vector<NamedTensor> all;
    for (const auto& named : net_->named_parameters()) {
      if (is_kept(named.key())) all.push_back({named.key(), named.value()});
    }
    for (const auto& named : net_->named_buffers()) {
      if (is_kept(named.key())) all.push_back({named.key(), named.value()});
    }
    return all;
  }
  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all = weights();
    for (const auto& named : net_->named_modules()) {
      const auto* const dropout = named.value()->template as<DropoutImpl>();
      if (dropout == nullptr || !is_kept(named.key() + ".passes")) continue;
      all.push_back({"random." + named.key() + ".passes", dropout->passes()});
    }
    return all;
  }

 protected:
  const Net& net() const { return *net_; }

 private:
  /// Returns images with their channels last in memory, and other tensors unchanged.
  static at::Tensor arranged(const at::Tensor& tensor) {
    return tensor.dim() == 4 ? tensor.contiguous(at::MemoryFormat::ChannelsLast) : tensor;
  }
  /// Lists the trainable parameters of the blocks [first, last) in order of registration.
  void list_parameters(std::size_t first, std::size_t last) {
    kept_first_ = first;
    kept_last_ = last;
    names_.clear();
    parameters_.clear();
    for (Block& block : blocks_) block.parameters.clear();
    for (const auto& named : net_->named_parameters()) {
      const std::size_t block = block_of(named.key());
      if (block < first || block >= last || !named.value().requires_grad()) continue;
      blocks_[block].parameters.push_back(parameters_.size());
      names_.push_back(named.key());
      parameters_.push_back(named.value());
    }
  }
  bool is_kept(const std::string& name) const {
    const std::size_t block = block_of(name);
    return block >= kept_first_ && block < kept_last_;
  }
  std::size_t block_of(const std::string& name) const {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      for (const std::string& own : stretches_[i].modules) {
        if (name.starts_with(own) && name[own.size()] == '.') return i;
      }
    }
    throw std::logic_error("no block owns " + name);
  }

  std::shared_ptr<Net> net_;
  std::vector<NetBlock> stretches_;
  bool channels_last_ = false;
  std::size_t kept_first_ = 0, kept_last_ = 0;
  std::vector<Block> blocks_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::string> names_;
};

/// Seeds LibTorch's random generator. All threads of a process share this generator, so the
/// returned lock keeps ranks in other threads from using it.
std::unique_lock<std::mutex> start_drawing(std::uint64_t seed);

/// Creates a model from a Net whose constructor takes the context. The initial parameters are
/// random numbers that depend on the seed of the context.
template <class Net>
std::unique_ptr<Model> make_module_model(const ModelContext& context) {
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<ModuleModel<Net>>(std::make_shared<Net>(context), context);
}

}  // namespace dlscale::trainer
