// SPDX-License-Identifier: Apache-2.0
// Model with the small convolutional network of PyTorch's MNIST example, without dropout.
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "base/error.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSmallestSide = 6;  // smallest side for two 3x3 convolutions and a 2x2 pool

std::int64_t pooled(int side) {
  return (side - 4) / 2;
}

struct Cnn : torch::nn::Module {
  explicit Cnn(const ModelContext& context)
      : conv1(register_module(
            "conv1", Convolution(torch::nn::Conv2dOptions(context.input.channels, 32, 3)))),
        conv2(register_module("conv2", Convolution(torch::nn::Conv2dOptions(32, 64, 3)))),
        hidden(register_module(
            "hidden", torch::nn::Linear(
                          64 * pooled(context.input.height) * pooled(context.input.width), 128))),
        output(register_module("output", torch::nn::Linear(128, context.classes))) {}

  std::vector<NetBlock> blocks() {
    return {
        {"conv1", {"conv1"}, [this](const at::Tensor& x) { return conv1(x).relu_(); }},
        // max(relu(x)) == relu(max(x)), so pooling first applies ReLU to a quarter of the values.
        {"conv2",
         {"conv2"},
         [this](const at::Tensor& x) { return at::max_pool2d(conv2(x), 2).relu_().flatten(1); }},
        {"hidden", {"hidden"}, [this](const at::Tensor& x) { return hidden(x).relu_(); }},
        {"output", {"output"}, [this](const at::Tensor& x) { return output(x); }}};
  }

  Convolution conv1, conv2;
  torch::nn::Linear hidden, output;
};

std::unique_ptr<Model> make_cnn(const ModelContext& context) {
  const int side = std::min(context.input.height, context.input.width);
  if (side < kSmallestSide) {
    throw base::UsageError(
        "model cnn needs images of at least 6x6 pixels, but these have a side of " +
        std::to_string(side));
  }
  return make_module_model<Cnn>(context);
}

}  // namespace

extern const ModelEntry cnn_entry;
const ModelEntry cnn_entry{
    .name = "cnn",
    .summary = "convolutions of 32 and 64 channels, pool, hidden layer of 128 units",
    .make = make_cnn,
    .smallest_side = kSmallestSide,
    .blocks = 4};

}  // namespace dlscale::trainer
