// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/vision_net.hpp"

#include <torch/nn/module.h>

#include <algorithm>
#include <utility>

#include "trainer/kernels/gpu_kernels.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSmallImage = 64;

}  // namespace

bool are_small(const ImageShape& images) {
  return std::max(images.height, images.width) <= kSmallImage;
}

void VisionNet::open(std::vector<NetBlock>& blocks, const std::string& name) {
  open_ = std::make_shared<std::vector<Step>>();
  block_ = &blocks.emplace_back(NetBlock{name, {}, [steps = open_](const at::Tensor& input) {
                                           at::Tensor value = input;
                                           for (const Step& step : *steps) value = step(value);
                                           return value;
                                         }});
}

/// Registers a layer under a name such as "features.0.conv". For each part of the name before the
/// last dot, a module is registered as well, unless it already exists.
void VisionNet::own(const std::string& name, std::shared_ptr<torch::nn::Module> layer) {
  torch::nn::Module* parent = this;
  std::size_t begin = 0;
  for (std::size_t dot = 0; (dot = name.find('.', begin)) != std::string::npos; begin = dot + 1) {
    const std::string level = name.substr(begin, dot - begin);
    const auto children = parent->named_children();
    const auto* const known = children.find(level);
    parent = known != nullptr
                 ? known->get()
                 : parent->register_module(level, std::make_shared<torch::nn::Module>()).get();
  }
  parent->register_module(name.substr(begin), std::move(layer));
  block_->modules.push_back(name);
}

void VisionNet::set_features(std::int64_t width, Step step, const std::string& classifier) {
  width_ = width;
  features_ = std::move(step);
  classifier_name_ = classifier;
}

std::vector<NetBlock> VisionNet::blocks() const {
  std::vector<NetBlock> all = trunk_;
  all.insert(all.end(), classifier_.begin(), classifier_.end());
  return all;
}

at::Tensor max_pool(const at::Tensor& images, int window, int stride, int padding,
                    bool covers_rest) {
  const at::Tensor pooled = gpu_max_pool(images, window, stride, padding, covers_rest);
  if (pooled.defined()) return pooled;
  return at::max_pool2d(images, window, stride, padding, 1, covers_rest);
}

at::Tensor pool_largest(const at::Tensor& images, int window, int stride, bool covers_rest) {
  if (std::min(images.size(2), images.size(3)) < window) return images;
  return max_pool(images, window, stride, 0, covers_rest);
}

at::Tensor mean_of_images(const at::Tensor& images) {
  return at::adaptive_avg_pool2d(images, {1, 1}).flatten(1);
}

}  // namespace dlscale::trainer
