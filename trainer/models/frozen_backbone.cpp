// SPDX-License-Identifier: Apache-2.0
// Model that consists of a frozen network, called the backbone, and a classifier. Only the
// classifier is trained, on the features that the backbone computes (Banerjee and Shah,
// Benchmarking Distributed Training and Inference on NVIDIA's A6000 GPUs, 2023).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trainer/models/dropout.hpp"
#include "trainer/models/vision_net.hpp"
#include "trainer/models/weights.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kSide = 224;  // side of the images with which backbones are trained, in pixels
constexpr int kColours = 3;
constexpr std::string_view kBackbone = "backbone.";

const ModelEntry& backbone_of(const ModelContext& context) {
  const std::string& name = context.options.backbone;
  std::vector<std::string> known;
  for (const ModelEntry* entry : model_table()) {
    if (entry->backbone == nullptr) continue;
    if (entry->name == name) return *entry;
    known.emplace_back(entry->name);
  }
  if (name.empty()) {
    throw base::UsageError(fmt::format("model_options.backbone: frozen_backbone needs one of: {}",
                                       fmt::join(known, ", ")));
  }
  throw base::UsageError("model_options.backbone: " + base::unknown_name("backbone", name, known));
}

/// Returns the context with which the backbone is made. The backbone is built for images of
/// ImageNet's size and has no classifier.
ModelContext context_of_backbone(const ModelContext& context) {
  ModelContext whole = context;
  whole.input = {kColours, std::max(kSide, context.input.height),
                 std::max(kSide, context.input.width)};
  whole.classes = 0;
  return whole;
}

/// Converts images to the input of a backbone: three channels and at least 224 pixels per side.
at::Tensor prepared(const at::Tensor& images) {
  at::Tensor large = images;
  if (images.size(2) < kSide || images.size(3) < kSide) {
    large = at::upsample_bilinear2d(images,
                                    {std::max<std::int64_t>(kSide, images.size(2)),
                                     std::max<std::int64_t>(kSide, images.size(3))},
                                    /*align_corners=*/false);
  }
  return large.size(1) == kColours ? large : large.expand({-1, kColours, -1, -1});
}

class FrozenNet : public torch::nn::Module {
 public:
  explicit FrozenNet(const ModelContext& context)
      : backbone_(register_module("backbone",
                                  backbone_of(context).backbone(context_of_backbone(context)))),
        classifier_(register_module("classifier", std::make_shared<torch::nn::Module>())) {
    for (const at::Tensor& parameter : backbone_->parameters()) parameter.set_requires_grad(false);
    backbone_->eval();
    const std::int64_t hidden = context.options.classifier_hidden;
    std::int64_t in = backbone_->feature_width();
    for (int i = 0; hidden > 0 && i < 2; ++i) {
      add_layer(in, hidden);
      dropouts_.push_back(classifier_->register_module(
          std::to_string(3 * i + 2),
          Dropout(context.options.dropout, static_cast<std::uint64_t>(i), context)));
      in = hidden;
    }
    add_layer(in, context.classes);
  }

  /// Sets the training or evaluation mode of the classifier. The backbone always stays in
  /// evaluation mode, so it normalises with its running statistics and does not change them.
  void train(bool on) override {
    torch::nn::Module::train(on);
    backbone_->eval();
  }

  const VisionNet& backbone() const { return *backbone_; }

  std::vector<NetBlock> blocks() {
    std::vector<NetBlock> all;
    for (NetBlock block : backbone_->trunk()) {
      for (std::string& module : block.modules) module.insert(0, kBackbone);
      all.push_back(std::move(block));
    }
    all.front().forward = [first = all.front().forward](const at::Tensor& images) {
      return first(prepared(images));
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::string number = std::to_string(3 * i);
      NetBlock block{"classifier." + number, {"classifier." + number}, [this, i](const auto& x) {
                       return classify(i, x);
                     }};
      if (i < dropouts_.size()) block.modules.push_back("classifier." + std::to_string(3 * i + 2));
      all.push_back(std::move(block));
    }
    return all;
  }

 private:
  /// Adds a linear layer. The name of the layer is the index that it would have in a
  /// torch.nn.Sequential of linear layers, ReLUs and dropouts.
  void add_layer(std::int64_t in, std::int64_t out) {
    const std::string place = std::to_string(3 * layers_.size());
    layers_.push_back(classifier_->register_module(place, torch::nn::Linear(in, out)));
  }
  at::Tensor classify(std::size_t i, const at::Tensor& input) {
    const at::Tensor output = layers_[i](i == 0 ? backbone_->features(input) : input);
    return i < dropouts_.size() ? dropouts_[i](output.relu_()) : output;
  }

  std::shared_ptr<VisionNet> backbone_;
  std::shared_ptr<torch::nn::Module> classifier_;
  std::vector<torch::nn::Linear> layers_;
  std::vector<Dropout> dropouts_;
};

class FrozenBackbone : public ModuleModel<FrozenNet> {
 public:
  explicit FrozenBackbone(const ModelContext& context)
      : ModuleModel(std::make_shared<FrozenNet>(context), context) {}

  /// Returns the tensors of the backbone, with the names that they have in a file of pretrained
  /// weights of the backbone. The tensors of the classifier in that file are ignored.
  Pretrained pretrained() override {
    Pretrained part{{}, net().backbone().classifier_name()};
    for (NamedTensor& tensor : weights()) {
      if (!tensor.name.starts_with(kBackbone)) continue;
      part.tensors.push_back({tensor.name.substr(kBackbone.size()), std::move(tensor.tensor)});
    }
    return part;
  }
};

std::unique_ptr<Model> make_frozen_backbone(const ModelContext& context) {
  const int channels = context.input.channels;
  if (channels != 1 && channels != kColours) {
    throw base::UsageError(fmt::format(
        "model frozen_backbone needs images of 1 or 3 channels, but these have {}", channels));
  }
  const auto drawing = start_drawing(context.seed);
  return std::make_unique<FrozenBackbone>(context);
}

}  // namespace

extern const ModelEntry frozen_backbone_entry;
const ModelEntry frozen_backbone_entry{
    .name = "frozen_backbone",
    .summary = "a classifier trained on the features of a frozen model",
    .make = make_frozen_backbone,
    .channels = {1, kColours},
    .settings = "backbone classifier_hidden dropout"};

}  // namespace dlscale::trainer
