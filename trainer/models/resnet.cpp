// SPDX-License-Identifier: Apache-2.0
// He, Zhang, Ren, Sun: Deep Residual Learning for Image Recognition, 2016; as in torchvision the
// stride of a bottleneck is at its 3x3 convolution.
#include "trainer/models/resnet.hpp"

#include <algorithm>
#include <string>

#include "trainer/models/batch_norm.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSmallImage = 64;
constexpr int kStemChannels = 64;

/// Without bias, since a batch norm follows.
Convolution make_convolution(std::int64_t in, std::int64_t out, int kernel, int stride) {
  Convolution made(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  torch::nn::init::kaiming_normal_(made->weight, 0, torch::kFanOut, torch::kReLU);
  return made;
}

/// What a residual block adds to its input, layer by layer, and how its input is made to fit.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t in, std::int64_t width, int stride, bool bottleneck,
                StatisticsSum* statistics) {
    if (bottleneck) {
      add(in, width, 1, 1, statistics);
      add(width, width, 3, stride, statistics);
      add(width, 4 * width, 1, 1, statistics);
    } else {
      add(in, width, 3, stride, statistics);
      add(width, width, 3, 1, statistics);
    }
    const std::int64_t out = layers_.back().norm->weight.numel();
    if (stride == 1 && in == out) return;
    fit_.push_back({make_convolution(in, out, 1, stride), BatchNorm2d(out, statistics)});
    torch::nn::ModuleList fit;
    fit->push_back(fit_[0].convolution.ptr());
    fit->push_back(fit_[0].norm.ptr());
    register_module("downsample", fit);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor value = input;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (i > 0) value.relu_();
      value = layers_[i].forward(value);
    }
    return value.add_(fit_.empty() ? input : fit_[0].forward(input)).relu_();
  }

 private:
  struct Layer {
    Convolution convolution;
    BatchNorm2d norm;
    at::Tensor forward(const at::Tensor& input) { return norm(convolution(input)); }
  };

  void add(std::int64_t in, std::int64_t out, int kernel, int stride, StatisticsSum* statistics) {
    const std::string number = std::to_string(layers_.size() + 1);
    layers_.push_back({register_module("conv" + number, make_convolution(in, out, kernel, stride)),
                       register_module("bn" + number, BatchNorm2d(out, statistics))});
  }

  std::vector<Layer> layers_;
  std::vector<Layer> fit_;  ///< none or one
};

class ResNet : public torch::nn::Module {
 public:
  ResNet(const ModelContext& context, const ResNetDepth& depth)
      : small_(std::max(context.input.height, context.input.width) <= kSmallImage),
        conv1_(register_module("conv1", make_convolution(context.input.channels, kStemChannels,
                                                         small_ ? 3 : 7, small_ ? 1 : 2))),
        bn1_(register_module("bn1", BatchNorm2d(kStemChannels, context.statistics))) {
    std::int64_t in = kStemChannels;
    for (std::size_t layer = 0; layer < depth.blocks.size(); ++layer) {
      const std::int64_t width = kStemChannels << layer;
      torch::nn::ModuleList residuals;
      for (int i = 0; i < depth.blocks[layer]; ++i) {
        const int stride = i == 0 && layer > 0 ? 2 : 1;
        residuals->push_back(std::make_shared<ResidualBlock>(in, width, stride, depth.bottleneck,
                                                             context.statistics));
        in = depth.bottleneck ? 4 * width : width;
      }
      layers_.push_back(register_module("layer" + std::to_string(layer + 1), residuals));
    }
    fc_ = register_module("fc", torch::nn::Linear(in, context.classes));
  }

  std::vector<NetBlock> blocks() {
    std::vector<NetBlock> all{
        {"stem", {"conv1", "bn1"}, [this](const at::Tensor& x) { return stem(x); }}};
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
      for (std::size_t i = 0; i < layers_[layer]->size(); ++i) {
        const auto residual = layers_[layer]->ptr<ResidualBlock>(i);
        const std::string name = "layer" + std::to_string(layer + 1) + "." + std::to_string(i);
        all.push_back(
            {name, {name}, [residual](const at::Tensor& x) { return residual->forward(x); }});
      }
    }
    all.push_back({"head", {"fc"}, [this](const at::Tensor& x) { return head(x); }});
    return all;
  }

 private:
  at::Tensor stem(const at::Tensor& input) {
    const at::Tensor value = bn1_(conv1_(input)).relu_();
    return small_ ? value : at::max_pool2d(value, 3, 2, 1);
  }
  at::Tensor head(const at::Tensor& input) {
    return fc_(at::adaptive_avg_pool2d(input, {1, 1}).flatten(1));
  }

  bool small_;
  Convolution conv1_;
  BatchNorm2d bn1_;
  std::vector<torch::nn::ModuleList> layers_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace

std::unique_ptr<Model> make_resnet(const ModelContext& context, const ResNetDepth& depth) {
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<ModuleModel<ResNet>>(std::make_shared<ResNet>(context, depth), context);
}

}  // namespace dlscale::trainer
