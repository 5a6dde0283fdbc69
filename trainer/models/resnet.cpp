// SPDX-License-Identifier: Apache-2.0
// Residual networks (He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, 2016). As
// in torchvision, a bottleneck block applies its stride in the 3x3 convolution.
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>
#include <memory>
#include <string>

#include "trainer/models/batch_norm.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kResnetStemChannels = 64;

struct ResNetDepth {
  std::array<int, 4> blocks;  ///< number of blocks in each of the four layers
  bool bottleneck;            ///< true: blocks of three convolutions; false: two
};

/// Returns a convolution without bias, because a batch norm follows.
Convolution make_resnet_convolution(std::int64_t in, std::int64_t out, int kernel, int stride) {
  Convolution made(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  torch::nn::init::kaiming_normal_(made->weight, 0, torch::kFanOut, torch::kReLU);
  return made;
}

/// Residual block, which adds its input to the output of its layers. If the shapes of input and
/// output differ, a 1x1 convolution first converts the input to the shape of the output.
class ResidualImpl : public torch::nn::Module {
 public:
  ResidualImpl(std::int64_t in, std::int64_t width, int stride, bool bottleneck,
               const ModelContext& context) {
    StatisticsSum* const statistics = context.statistics;
    if (bottleneck) {
      add(in, width, 1, 1, statistics);
      add(width, width, 3, stride, statistics);
      add(width, 4 * width, 1, 1, statistics);
    } else {
      add(in, width, 3, stride, statistics);
      add(width, width, 3, 1, statistics);
    }
    if (context.zero_init_gamma) torch::nn::init::zeros_(layers_.back().norm->weight);
    const std::int64_t out = layers_.back().norm->weight.numel();
    if (stride == 1 && in == out) return;
    fit_.push_back({make_resnet_convolution(in, out, 1, stride), BatchNorm2d(out, statistics)});
    torch::nn::ModuleList fit;
    fit->push_back(fit_[0].convolution.ptr());
    fit->push_back(fit_[0].norm.ptr());
    register_module("downsample", fit);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor value = input;
    for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
      value = layers_[i].norm->forward_relu(layers_[i].convolution(value));
    }
    Layer& last = layers_.back();
    value = last.convolution(value);
    return last.norm->forward_add_relu(
        value, fit_.empty() ? input : fit_[0].norm(fit_[0].convolution(input)));
  }

 private:
  struct Layer {
    Convolution convolution;
    BatchNorm2d norm;
  };

  void add(std::int64_t in, std::int64_t out, int kernel, int stride, StatisticsSum* statistics) {
    const std::string number = std::to_string(layers_.size() + 1);
    layers_.push_back(
        {register_module("conv" + number, make_resnet_convolution(in, out, kernel, stride)),
         register_module("bn" + number, BatchNorm2d(out, statistics))});
  }

  std::vector<Layer> layers_;
  std::vector<Layer> fit_;  ///< conversion of the input; empty if not needed
};

TORCH_MODULE(Residual);

void add_resnet_stem(VisionNet& net, const ModelContext& context) {
  const bool small = are_small(context.input);
  net.begin_block("stem");
  net.add("conv1", make_resnet_convolution(context.input.channels, kResnetStemChannels,
                                           small ? 3 : 7, small ? 1 : 2));
  net.add_norm_relu("bn1", BatchNorm2d(kResnetStemChannels, context.statistics));
  if (!small) net.step([](const at::Tensor& x) { return max_pool(x, 3, 2, 1); });
}

/// Returns a net with the layers, names and initial distributions of torchvision, for any number of
/// classes and images of any size. For images of at most 64 pixels per side, the stem is a 3x3
/// convolution of stride 1 without pooling, which is usual for CIFAR. Every residual block is a
/// Block of the model.
template <ResNetDepth depth>
std::shared_ptr<VisionNet> make_resnet(const ModelContext& context) {
  auto net = std::make_shared<VisionNet>();
  add_resnet_stem(*net, context);
  std::int64_t in = kResnetStemChannels;
  for (std::size_t layer = 0; layer < depth.blocks.size(); ++layer) {
    const std::int64_t width = kResnetStemChannels << layer;
    for (int i = 0; i < depth.blocks[layer]; ++i) {
      const int stride = i == 0 && layer > 0 ? 2 : 1;
      const std::string name = "layer" + std::to_string(layer + 1) + "." + std::to_string(i);
      net->begin_block(name);
      net->add(name, Residual(in, width, stride, depth.bottleneck, context));
      in = depth.bottleneck ? 4 * width : width;
    }
  }
  net->set_features(in, mean_of_images, "fc.");
  if (context.classes == 0) return net;
  net->begin_classifier_block("head");
  net->step(mean_of_images);
  net->add("fc", torch::nn::Linear(in, context.classes));
  return net;
}

template <ResNetDepth depth>
constexpr ModelEntry resnet_row(const char* name, const char* summary) {
  int blocks = 2;  // the stem and the head are one block each
  for (const int of_layer : depth.blocks) blocks += of_layer;
  return {.name = name,
          .summary = summary,
          .make = make_vision_model<make_resnet<depth>>,
          .backbone = make_resnet<depth>,
          .is_residual = true,
          .blocks = blocks};
}

}  // namespace

extern const ModelEntry resnet18_entry, resnet34_entry, resnet50_entry, resnet101_entry,
    resnet152_entry;
constexpr ModelEntry resnet18_entry = resnet_row<ResNetDepth{{2, 2, 2, 2}, false}>(
    "resnet18", "residual network, 8 blocks of two convolutions");
constexpr ModelEntry resnet34_entry = resnet_row<ResNetDepth{{3, 4, 6, 3}, false}>(
    "resnet34", "residual network, 16 blocks of two convolutions");
constexpr ModelEntry resnet50_entry = resnet_row<ResNetDepth{{3, 4, 6, 3}, true}>(
    "resnet50", "residual network, 16 bottlenecks of three convolutions");
constexpr ModelEntry resnet101_entry = resnet_row<ResNetDepth{{3, 4, 23, 3}, true}>(
    "resnet101", "residual network, 33 bottlenecks of three convolutions");
constexpr ModelEntry resnet152_entry = resnet_row<ResNetDepth{{3, 8, 36, 3}, true}>(
    "resnet152", "residual network, 50 bottlenecks of three convolutions");

}  // namespace dlscale::trainer
