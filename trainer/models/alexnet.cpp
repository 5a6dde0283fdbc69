// SPDX-License-Identifier: Apache-2.0
// Model AlexNet in the version of torchvision (Krizhevsky: One Weird Trick for Parallelizing
// Convolutional Neural Networks, 2014).
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <iterator>
#include <string>

#include "trainer/models/dropout.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kAlexnetHidden = 4096;

struct Layer {
  int place;
  std::int64_t channels;
  int kernel;
  bool pooled;
};
constexpr Layer kAlexnetLayers[] = {{0, 64, 11, true},
                                    {3, 192, 5, true},
                                    {6, 384, 3, false},
                                    {8, 256, 3, false},
                                    {10, 256, 3, true}};

/// Returns a convolution of AlexNet. For images of at most 64 pixels per side (`small`), the first
/// convolution is 3x3 with stride 1.
Convolution make_alexnet_convolution(const Layer& layer, std::int64_t in, bool small) {
  torch::nn::Conv2dOptions options(in, layer.channels, layer.kernel);
  options.padding(layer.kernel / 2);
  if (layer.place == 0 && small) options.kernel_size(3).padding(1);
  if (layer.place == 0 && !small) options.stride(4).padding(2);
  return Convolution(options);
}

void add_alexnet_classifier(VisionNet& net, const ModelContext& context) {
  net.begin_classifier_block("classifier.1");
  net.step([&net](const at::Tensor& x) { return net.features(x); });
  net.add("classifier.0", Dropout(0.5, 0, context));
  net.add("classifier.1", torch::nn::Linear(net.feature_width(), kAlexnetHidden));
  net.relu();
  net.begin_classifier_block("classifier.4");
  net.add("classifier.3", Dropout(0.5, 1, context));
  net.add("classifier.4", torch::nn::Linear(kAlexnetHidden, kAlexnetHidden));
  net.relu();
  net.begin_classifier_block("classifier.6");
  net.add("classifier.6", torch::nn::Linear(kAlexnetHidden, context.classes));
}

std::shared_ptr<VisionNet> make_alexnet_net(const ModelContext& context) {
  auto net = std::make_shared<VisionNet>();
  const bool small = are_small(context.input);
  std::int64_t in = context.input.channels;
  for (const Layer& layer : kAlexnetLayers) {
    const std::string name = "features." + std::to_string(layer.place);
    net->begin_block(name);
    net->add(name, make_alexnet_convolution(layer, in, small));
    net->relu();
    if (layer.pooled) net->step([](const at::Tensor& x) { return pool_largest(x, 3, 2); });
    in = layer.channels;
  }
  const std::int64_t side = small ? 1 : 6;
  net->set_features(in * side * side, [side](const at::Tensor& x) {
    return at::adaptive_avg_pool2d(x, {side, side}).flatten(1);
  });
  if (context.classes > 0) add_alexnet_classifier(*net, context);
  return net;
}

}  // namespace

extern const ModelEntry alexnet_entry;
const ModelEntry alexnet_entry{
    .name = "alexnet",
    .summary = "5 convolutions (the first with 11x11 filters) and 3 linear layers",
    .make = make_vision_model<make_alexnet_net>,
    .backbone = make_alexnet_net,
    .has_dropout = true,
    .blocks = 8};

}  // namespace dlscale::trainer
