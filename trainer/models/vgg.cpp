// SPDX-License-Identifier: Apache-2.0
// VGG networks (Simonyan, Zisserman: Very Deep Convolutional Networks for Large-Scale Image
// Recognition, 2015).
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "trainer/models/batch_norm.hpp"
#include "trainer/models/dropout.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kMostChannels = 512;
constexpr std::int64_t kVggHidden = 4096;

struct VggDepth {
  std::array<int, 5> convolutions;  ///< number of convolutions before each pooling
  bool batch_norm;                  ///< true if a batch norm follows each convolution
};

Convolution make_vgg_convolution(std::int64_t in, std::int64_t out) {
  Convolution made(torch::nn::Conv2dOptions(in, out, 3).padding(1));
  torch::nn::init::kaiming_normal_(made->weight, 0, torch::kFanOut, torch::kReLU);
  torch::nn::init::zeros_(made->bias);
  return made;
}

torch::nn::Linear make_linear(std::int64_t in, std::int64_t out) {
  torch::nn::Linear made(in, out);
  torch::nn::init::normal_(made->weight, 0, 0.01);
  torch::nn::init::zeros_(made->bias);
  return made;
}

void add_trunk(VisionNet& net, const ModelContext& context, const VggDepth& depth) {
  int place = 0;  // index of the next layer, counting ReLUs and poolings
  const auto name = [&place] { return "features." + std::to_string(place); };
  std::int64_t in = context.input.channels;
  for (std::size_t level = 0; level < depth.convolutions.size(); ++level) {
    const std::int64_t out = std::min<std::int64_t>(kMostChannels, 64 << level);
    for (int i = 0; i < depth.convolutions[level]; ++i) {
      net.begin_block(name());
      net.add(name(), make_vgg_convolution(in, out));
      ++place;
      if (depth.batch_norm) {
        net.add_norm_relu(name(), BatchNorm2d(out, context.statistics));
        ++place;
      } else {
        net.relu();
      }
      ++place;
      in = out;
    }
    net.step([](const at::Tensor& x) { return pool_largest(x, 2, 2); });
    ++place;
  }
}

void add_vgg_classifier(VisionNet& net, const ModelContext& context) {
  net.begin_classifier_block("classifier.0");
  net.step([&net](const at::Tensor& x) { return net.features(x); });
  net.add("classifier.0", make_linear(net.feature_width(), kVggHidden));
  net.relu();
  net.add("classifier.2", Dropout(0.5, 0, context));
  net.begin_classifier_block("classifier.3");
  net.add("classifier.3", make_linear(kVggHidden, kVggHidden));
  net.relu();
  net.add("classifier.5", Dropout(0.5, 1, context));
  net.begin_classifier_block("classifier.6");
  net.add("classifier.6", make_linear(kVggHidden, context.classes));
}

/// Returns a net with the layers, names and initial distributions of torchvision. Normally, the
/// classifier receives the means over 7 x 7 parts of the image. For images of at most 64 pixels per
/// side, the classifier receives the mean over the whole image.
template <VggDepth depth>
std::shared_ptr<VisionNet> make_vgg(const ModelContext& context) {
  auto net = std::make_shared<VisionNet>();
  add_trunk(*net, context, depth);
  const std::int64_t side = are_small(context.input) ? 1 : 7;
  net->set_features(kMostChannels * side * side, [side](const at::Tensor& x) {
    return at::adaptive_avg_pool2d(x, {side, side}).flatten(1);
  });
  if (context.classes > 0) add_vgg_classifier(*net, context);
  return net;
}

template <VggDepth depth>
constexpr ModelEntry vgg_row(const char* name, const char* summary) {
  int blocks = 3;  // each of the three classifier layers is a block
  for (const int of_level : depth.convolutions) blocks += of_level;
  return {.name = name,
          .summary = summary,
          .make = make_vision_model<make_vgg<depth>>,
          .backbone = make_vgg<depth>,
          .has_dropout = true,
          .blocks = blocks};
}

}  // namespace

extern const ModelEntry vgg11_entry, vgg11_bn_entry, vgg16_entry, vgg16_bn_entry;
constexpr ModelEntry vgg11_entry = vgg_row<VggDepth{{1, 1, 2, 2, 2}, false}>(
    "vgg11", "VGG network of 11 layers, 8 of them convolutions");
constexpr ModelEntry vgg11_bn_entry = vgg_row<VggDepth{{1, 1, 2, 2, 2}, true}>(
    "vgg11_bn", "VGG network of 11 layers, with batch norms");
constexpr ModelEntry vgg16_entry = vgg_row<VggDepth{{2, 2, 3, 3, 3}, false}>(
    "vgg16", "VGG network of 16 layers, 13 of them convolutions");
constexpr ModelEntry vgg16_bn_entry = vgg_row<VggDepth{{2, 2, 3, 3, 3}, true}>(
    "vgg16_bn", "VGG network of 16 layers, with batch norms");

}  // namespace dlscale::trainer
