// SPDX-License-Identifier: Apache-2.0
// Model with a multi-layer perceptron: two hidden layers of 512 units with ReLU, and an output
// layer.
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kMlpHidden = 512;

struct Mlp : torch::nn::Module {
  explicit Mlp(const ModelContext& context)
      : hidden1(register_module("hidden1", torch::nn::Linear(context.input.values(), kMlpHidden))),
        hidden2(register_module("hidden2", torch::nn::Linear(kMlpHidden, kMlpHidden))),
        output(register_module("output", torch::nn::Linear(kMlpHidden, context.classes))) {}

  std::vector<NetBlock> blocks() {
    return {{"hidden1",
             {"hidden1"},
             [this](const at::Tensor& input) { return hidden1(input.flatten(1)).relu_(); }},
            {"hidden2", {"hidden2"}, [this](const at::Tensor& x) { return hidden2(x).relu_(); }},
            {"output", {"output"}, [this](const at::Tensor& x) { return output(x); }}};
  }

  torch::nn::Linear hidden1, hidden2, output;
};

}  // namespace

extern const ModelEntry mlp_entry;
const ModelEntry mlp_entry{.name = "mlp",
                           .summary = "multi-layer perceptron, two hidden layers of 512 units",
                           .make = make_module_model<Mlp>,
                           .blocks = 3};

}  // namespace dlscale::trainer
