// SPDX-License-Identifier: Apache-2.0
// Model SqueezeNet, version 1.0 (Iandola et al.: SqueezeNet: AlexNet-level Accuracy with 50x Fewer
// Parameters, 2016).
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include <string>

#include "trainer/models/dropout.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kSqueezenet10StemChannels = 96;

Convolution make_squeezenet1_0_convolution(const torch::nn::Conv2dOptions& options) {
  Convolution made(options);
  torch::nn::init::kaiming_uniform_(made->weight);
  torch::nn::init::zeros_(made->bias);
  return made;
}

/// Fire module. A 1x1 convolution reduces the number of channels. Then 1x1 and 3x3 convolutions
/// increase this number.
class FireImpl : public torch::nn::Module {
 public:
  FireImpl(std::int64_t in, std::int64_t squeezed, std::int64_t expanded)
      : squeeze_(register_module("squeeze", make_squeezenet1_0_convolution({in, squeezed, 1}))),
        expand1x1_(
            register_module("expand1x1", make_squeezenet1_0_convolution({squeezed, expanded, 1}))),
        expand3x3_(register_module(
            "expand3x3", make_squeezenet1_0_convolution(
                             torch::nn::Conv2dOptions(squeezed, expanded, 3).padding(1)))) {}

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor few = squeeze_(input).relu_();
    return at::cat({expand1x1_(few).relu_(), expand3x3_(few).relu_()}, 1);
  }

 private:
  Convolution squeeze_, expand1x1_, expand3x3_;
};

TORCH_MODULE(Fire);

struct FirePlace {
  int place;
  std::int64_t in, squeezed, expanded;
  bool pooled;
};
constexpr FirePlace kFires[] = {{3, 96, 16, 64, false},   {4, 128, 16, 64, false},
                                {5, 128, 32, 128, true},  {7, 256, 32, 128, false},
                                {8, 256, 48, 192, false}, {9, 384, 48, 192, false},
                                {10, 384, 64, 256, true}, {12, 512, 64, 256, false}};

at::Tensor pool(const at::Tensor& images) {
  return pool_largest(images, 3, 2, /*covers_rest=*/true);
}

/// Adds the stem to the net. For images of at most 64 pixels per side, the convolution of the stem
/// is 3x3 with stride 1.
void add_squeezenet1_0_stem(VisionNet& net, const ModelContext& context) {
  torch::nn::Conv2dOptions options(context.input.channels, kSqueezenet10StemChannels, 7);
  options.stride(2);
  if (are_small(context.input)) options.kernel_size(3).stride(1).padding(1);
  net.begin_block("features.0");
  net.add("features.0", make_squeezenet1_0_convolution(options));
  net.relu();
  net.step(pool);
}

void add_squeezenet1_0_classifier(VisionNet& net, const ModelContext& context) {
  Convolution scores(torch::nn::Conv2dOptions(net.feature_width(), context.classes, 1));
  torch::nn::init::normal_(scores->weight, 0, 0.01);
  torch::nn::init::zeros_(scores->bias);
  net.begin_classifier_block("classifier");
  net.add("classifier.0", Dropout(0.5, 0, context));
  net.add("classifier.1", scores);
  net.relu();
  net.step(mean_of_images);
}

std::shared_ptr<VisionNet> make_squeezenet1_0_net(const ModelContext& context) {
  auto net = std::make_shared<VisionNet>();
  add_squeezenet1_0_stem(*net, context);
  for (const FirePlace& fire : kFires) {
    const std::string name = "features." + std::to_string(fire.place);
    net->begin_block(name);
    net->add(name, Fire(fire.in, fire.squeezed, fire.expanded));
    if (fire.pooled) net->step(pool);
  }
  net->set_features(512, mean_of_images);
  if (context.classes > 0) add_squeezenet1_0_classifier(*net, context);
  return net;
}

}  // namespace

extern const ModelEntry squeezenet1_0_entry;
const ModelEntry squeezenet1_0_entry{
    .name = "squeezenet1_0",
    .summary = "8 modules that squeeze and then expand the channels; no linear layer",
    .make = make_vision_model<make_squeezenet1_0_net>,
    .backbone = make_squeezenet1_0_net,
    .has_dropout = true,
    .blocks = 10};

}  // namespace dlscale::trainer
