// SPDX-License-Identifier: Apache-2.0
// Small ConvMixer (Trockman and Kolter, Patches Are All You Need?, 2022) with patches of 4x4, 64
// channels and 4 layers with filters of 5x5.
// A model is a torch::nn::Module that is constructed from a ModelContext and lists its blocks.
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "trainer/models/batch_norm.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/module_model.hpp"

// The generated table of models expects each model in this namespace.
namespace dlscale::trainer {
namespace {

constexpr std::int64_t kChannels = 64, kLayers = 4, kPatch = 4, kFilter = 5;

/// Layer with one filter for each channel and a shortcut around this filter, followed by a filter
/// that mixes the channels.
///
/// BatchNorm2d and Convolution have the parameter names and initial values of the corresponding
/// modules of torch::nn. BatchNorm2d takes `context.statistics`, so that a study can set
/// batch_norm = "synchronised". Convolution is faster on CPUs than torch::nn::Conv2d. A model can
/// use any module of torch::nn except Dropout. Instead, dropout.hpp contains a dropout whose random
/// numbers are part of checkpoints.
struct LayerImpl : torch::nn::Module {
  explicit LayerImpl(const ModelContext& context)
      : spatial(register_module(
            "spatial", torch::nn::Conv2d(torch::nn::Conv2dOptions(kChannels, kChannels, kFilter)
                                             .groups(kChannels)
                                             .padding(kFilter / 2)))),
        spatial_norm(register_module("spatial_norm", BatchNorm2d(kChannels, context.statistics))),
        mixing(register_module("mixing",
                               Convolution(torch::nn::Conv2dOptions(kChannels, kChannels, 1)))),
        mixing_norm(register_module("mixing_norm", BatchNorm2d(kChannels, context.statistics))) {}

  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor y = x + spatial_norm(at::gelu(spatial(x)));
    return mixing_norm(at::gelu(mixing(y)));
  }

  torch::nn::Conv2d spatial;
  BatchNorm2d spatial_norm;
  Convolution mixing;
  BatchNorm2d mixing_norm;
};

TORCH_MODULE(Layer);

struct ConvMixer : torch::nn::Module {
  // make_module_model sets the run's seed before it calls the constructor, so the initial values
  // depend only on the seed.
  explicit ConvMixer(const ModelContext& context)
      : patches(register_module(
            "patches",
            Convolution(torch::nn::Conv2dOptions(context.input.channels, kChannels, kPatch)
                            .stride(kPatch)))),
        patches_norm(register_module("patches_norm", BatchNorm2d(kChannels, context.statistics))),
        output(register_module("output", torch::nn::Linear(kChannels, context.classes))) {
    for (std::int64_t i = 0; i < kLayers; ++i) {
      layers.push_back(register_module("layer" + std::to_string(i + 1), Layer(context)));
    }
  }

  /// Returns the blocks of the model. A pipeline can be cut between two blocks, and ZeRO stage 3
  /// gathers one block at a time. Each block names its modules. All blocks together name all
  /// modules. The function of a block computes its output from the output of the block before and
  /// does not change its input. The first block takes images: samples x channels x height x width.
  /// The last block returns scores: samples x classes.
  std::vector<NetBlock> blocks() {
    std::vector<NetBlock> all{
        {"patches", {"patches", "patches_norm"}, [this](const at::Tensor& images) {
           return patches_norm(at::gelu(patches(images)));
         }}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::string name = "layer" + std::to_string(i + 1);
      all.push_back({name, {name}, [this, i](const at::Tensor& x) { return layers[i](x); }});
    }
    all.push_back({"output", {"output"}, [this](const at::Tensor& x) {
                     return output(x.mean(at::IntArrayRef{2, 3}));
                   }});
    return all;
  }

  Convolution patches;
  BatchNorm2d patches_norm;
  std::vector<Layer> layers;
  torch::nn::Linear output;
};

std::unique_ptr<Model> make(const ModelContext& context) {
  // A usage error ends the launch before training and prints one line that names the fault.
  const int side = std::min(context.input.height, context.input.width);
  if (side < kPatch) {
    throw base::UsageError("model conv_mixer needs images of at least 4x4, these have a side of " +
                           std::to_string(side));
  }
  return make_module_model<ConvMixer>(context);
}

}  // namespace

// Row in the table of models. The name of the row must be <name of the file>_entry. The first
// value of the row is the name of the model in a study.
extern const ModelEntry conv_mixer_entry;
const ModelEntry conv_mixer_entry{"conv_mixer", "ConvMixer of 4 layers of 64 channels", make};

}  // namespace dlscale::trainer
