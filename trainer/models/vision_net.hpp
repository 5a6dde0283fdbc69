// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: classifiers of images as torchvision defines them.
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

/// Images of at most 64 pixels a side get a net's small form.
bool are_small(const ImageShape& images);

/// Layers that follow one another, cut into blocks: a trunk that makes features of images, and a
/// classifier of these.
class VisionNet : public torch::nn::Module {
 public:
  using Step = std::function<at::Tensor(const at::Tensor&)>;

  /// Layers and steps added from here on are the next block of the trunk.
  void begin_block(const std::string& name) { open(trunk_, name); }
  /// … of the classifier, whose input is what the trunk makes.
  void begin_classifier_block(const std::string& name) { open(classifier_, name); }
  /// A layer with its name, dots included, as torchvision has it.
  template <class Layer>
  void add(const std::string& name, Layer layer) {
    own(name, layer.ptr());
    step([layer](const at::Tensor& x) mutable { return layer(x); });
  }
  /// A batch norm and the ReLU after it.
  void add_norm_relu(const std::string& name, BatchNorm2d norm) {
    own(name, norm.ptr());
    step([norm](const at::Tensor& x) mutable { return norm->forward_relu(x); });
  }
  /// What is done to the last layer's output; not in place where no layer is before it in the
  /// block.
  void step(Step step) { open_->push_back(std::move(step)); }
  void relu() {
    step([](const at::Tensor& x) { return x.relu_(); });
  }
  /// What of the trunk's output a classifier gets: samples x width. `classifier`: how the names of
  /// torchvision's own begin.
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
  std::shared_ptr<std::vector<Step>> open_;  ///< of the last block
  std::int64_t width_ = 0;
  Step features_;
  std::string classifier_name_;
};

/// at::max_pool2d of square windows without dilation, with dlscale's kernels where they can compute
/// it.
at::Tensor max_pool(const at::Tensor& images, int window, int stride, int padding,
                    bool covers_rest = false);

/// Takes the largest of each window, unless the image is smaller than the window.
at::Tensor pool_largest(const at::Tensor& images, int window, int stride, bool covers_rest = false);

/// The mean over each image, channel by channel: samples x channels.
at::Tensor mean_of_images(const at::Tensor& images);

using MakeVisionNet = std::shared_ptr<VisionNet> (*)(const ModelContext&);

/// The whole model, drawn from the context's seed.
template <MakeVisionNet make_net>
std::unique_ptr<Model> make_vision_model(const ModelContext& context) {
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<ModuleModel<VisionNet>>(make_net(context), context);
}

}  // namespace dlscale::trainer
