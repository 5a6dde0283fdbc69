// SPDX-License-Identifier: Apache-2.0
// Model DenseNet-121 (Huang, Liu, van der Maaten, Weinberger: Densely Connected Convolutional
// Networks, 2017).
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <string>

#include "trainer/models/batch_norm.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kDensenet121StemChannels = 64;
constexpr std::int64_t kGrowth = 32;
constexpr std::int64_t kBottleneck = 4 * kGrowth;
constexpr int kDensenet121Layers[] = {6, 12, 24, 16};

Convolution make_densenet121_convolution(std::int64_t in, std::int64_t out, int kernel,
                                         int stride = 1) {
  Convolution made(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  torch::nn::init::kaiming_normal_(made->weight);
  return made;
}

/// Dense layer. Its output is its input followed by kGrowth new channels.
class DenseLayerImpl : public torch::nn::Module {
 public:
  DenseLayerImpl(std::int64_t in, StatisticsSum* statistics)
      : norm1_(register_module("norm1", BatchNorm2d(in, statistics))),
        conv1_(register_module("conv1", make_densenet121_convolution(in, kBottleneck, 1))),
        norm2_(register_module("norm2", BatchNorm2d(kBottleneck, statistics))),
        conv2_(register_module("conv2", make_densenet121_convolution(kBottleneck, kGrowth, 3))) {}

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor few = conv1_(norm1_->forward_relu(input));
    return at::cat({input, conv2_(norm2_->forward_relu(few))}, 1);
  }

 private:
  BatchNorm2d norm1_;
  Convolution conv1_;
  BatchNorm2d norm2_;
  Convolution conv2_;
};

TORCH_MODULE(DenseLayer);

/// Adds the stem to the net. For images of at most 64 pixels per side, the stem is a 3x3
/// convolution of stride 1 without pooling.
void add_densenet121_stem(VisionNet& net, const ModelContext& context) {
  const bool small = are_small(context.input);
  net.begin_block("stem");
  net.add("features.conv0",
          make_densenet121_convolution(context.input.channels, kDensenet121StemChannels,
                                       small ? 3 : 7, small ? 1 : 2));
  net.add_norm_relu("features.norm0", BatchNorm2d(kDensenet121StemChannels, context.statistics));
  if (!small) net.step([](const at::Tensor& x) { return max_pool(x, 3, 2, 1); });
}

at::Tensor halve(const at::Tensor& images) {
  return std::min(images.size(2), images.size(3)) < 2 ? images : at::avg_pool2d(images, 2, 2);
}

void add_transition(VisionNet& net, const std::string& name, std::int64_t in,
                    StatisticsSum* statistics) {
  net.begin_block(name);
  net.add_norm_relu(name + ".norm", BatchNorm2d(in, statistics));
  net.add(name + ".conv", make_densenet121_convolution(in, in / 2, 1));
  net.step(halve);
}

std::shared_ptr<VisionNet> make_densenet121_net(const ModelContext& context) {
  auto net = std::make_shared<VisionNet>();
  add_densenet121_stem(*net, context);
  std::int64_t channels = kDensenet121StemChannels;
  for (std::size_t dense = 0; dense < std::size(kDensenet121Layers); ++dense) {
    const std::string number = std::to_string(dense + 1);
    for (int i = 0; i < kDensenet121Layers[dense]; ++i) {
      const std::string name =
          "features.denseblock" + number + ".denselayer" + std::to_string(i + 1);
      net->begin_block(name);
      net->add(name, DenseLayer(channels, context.statistics));
      channels += kGrowth;
    }
    if (dense + 1 == std::size(kDensenet121Layers)) break;
    add_transition(*net, "features.transition" + number, channels, context.statistics);
    channels /= 2;
  }
  net->add_norm_relu("features.norm5", BatchNorm2d(channels, context.statistics));
  net->set_features(channels, mean_of_images);
  if (context.classes == 0) return net;
  torch::nn::Linear scores(channels, context.classes);
  torch::nn::init::zeros_(scores->bias);
  net->begin_classifier_block("classifier");
  net->step(mean_of_images);
  net->add("classifier", scores);
  return net;
}

}  // namespace

extern const ModelEntry densenet121_entry;
const ModelEntry densenet121_entry{
    .name = "densenet121",
    .summary = "58 layers, each of which adds 32 channels to all channels before it",
    .make = make_vision_model<make_densenet121_net>,
    .backbone = make_densenet121_net,
    .blocks = 63};

}  // namespace dlscale::trainer
