// SPDX-License-Identifier: Apache-2.0
// Image classifiers with the same structure as in torchvision. Only files in models/ use this
// class.
#pragma once

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/models/batch_norm.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {

/// Returns true for images of at most 64 pixels per side. For such images, nets use smaller strides
/// and less pooling.
bool are_small(const ImageShape& images);

/// A net that consists of a trunk, which computes features of images, and a classifier of these
/// features. The trunk and the classifier are sequences of layers, and each sequence is divided
/// into blocks.
class VisionNet : public torch::nn::Module {
 public:
  using Step = std::function<at::Tensor(const at::Tensor&)>;

  /// Starts the next block of the trunk. Layers and steps added afterwards belong to this block.
  void begin_block(const std::string& name) { open(trunk_, name); }
  /// Starts the next block of the classifier, whose input is the output of the trunk.
  void begin_classifier_block(const std::string& name) { open(classifier_, name); }
  /// Adds a layer. `name` is the full name of the layer in torchvision, including dots.
  template <class Layer>
  void add(const std::string& name, Layer layer) {
    own(name, layer.ptr());
    step([layer](const at::Tensor& x) mutable { return layer(x); });
  }
  /// Adds a batch norm followed by ReLU.
  void add_norm_relu(const std::string& name, BatchNorm2d norm) {
    own(name, norm.ptr());
    step([norm](const at::Tensor& x) mutable { return norm->forward_relu(x); });
  }
  /// Adds a function that is applied to the output of the last layer. The function may change its
  /// input in place only if the block already contains a layer. Otherwise, the function would
  /// change the input of the block.
  void step(Step step) { open_->push_back(std::move(step)); }
  void relu() {
    step([](const at::Tensor& x) { return x.relu_(); });
  }
  /// Sets the function that converts the output of the trunk to the input of the classifier, a
  /// tensor of samples x width. `classifier` is the prefix of the names of the classifier's tensors
  /// in torchvision.
  void set_features(std::int64_t width, Step step, const std::string& classifier = "classifier.");
  std::int64_t feature_width() const { return width_; }
  const std::string& classifier_name() const { return classifier_name_; }
  at::Tensor features(const at::Tensor& trunk_output) const { return features_(trunk_output); }

  std::vector<NetBlock> trunk() const { return trunk_; }
  std::vector<NetBlock> blocks() const;

 private:
  void open(std::vector<NetBlock>& blocks, const std::string& name);
  void own(const std::string& name, std::shared_ptr<torch::nn::Module> layer);

  std::vector<NetBlock> trunk_, classifier_;
  NetBlock* block_ = nullptr;
  std::shared_ptr<std::vector<Step>> open_;  ///< steps of the block that was started last
  std::int64_t width_ = 0;
  Step features_;
  std::string classifier_name_;
};

/// Computes at::max_pool2d with square windows and without dilation. Uses dlscale's own kernels for
/// inputs that they support.
at::Tensor max_pool(const at::Tensor& images, int window, int stride, int padding,
                    bool covers_rest = false);

/// Applies max_pool() without padding. Returns `images` unchanged if the images are smaller than
/// the window.
at::Tensor pool_largest(const at::Tensor& images, int window, int stride, bool covers_rest = false);

/// Returns the mean of each channel over each image, samples x channels.
at::Tensor mean_of_images(const at::Tensor& images);

using MakeVisionNet = std::shared_ptr<VisionNet> (*)(const ModelContext&);

/// Creates the model from the net that make_net() returns. The initial parameters are random
/// numbers that depend on the seed of the context.
template <MakeVisionNet make_net>
std::unique_ptr<Model> make_vision_model(const ModelContext& context) {
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<ModuleModel<VisionNet>>(make_net(context), context);
}

}  // namespace dlscale::trainer
