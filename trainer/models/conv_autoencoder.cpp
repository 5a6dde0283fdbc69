// SPDX-License-Identifier: Apache-2.0
// Model with a convolutional autoencoder. The encoder reduces height and width to a quarter and
// keeps four values per position. The decoder reconstructs the image from these values.
#include <fmt/format.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>

#include "base/error.hpp"
#include "trainer/models/convolution.hpp"
#include "trainer/models/module_model.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kShrinks = 4;  // factor by which two strides of 2 reduce height and width
constexpr std::int64_t kWide = 32;
constexpr std::int64_t kNarrow = 4;

/// Returns a convolution that halves height and width.
Convolution make_conv_autoencoder_convolution(std::int64_t in, std::int64_t out) {
  return Convolution(torch::nn::Conv2dOptions(in, out, 3).stride(2).padding(1));
}

/// Returns a transposed convolution that doubles height and width. With the kernel size of 4, each
/// output position also depends on neighbouring input positions.
torch::nn::ConvTranspose2d make_transposed(std::int64_t in, std::int64_t out) {
  return torch::nn::ConvTranspose2d(
      torch::nn::ConvTranspose2dOptions(in, out, 4).stride(2).padding(1));
}

struct ConvAutoencoder : torch::nn::Module {
  explicit ConvAutoencoder(const ModelContext& context)
      : encoder1(register_module("encoder1",
                                 make_conv_autoencoder_convolution(context.input.channels, kWide))),
        encoder2(register_module("encoder2", make_conv_autoencoder_convolution(kWide, kNarrow))),
        decoder1(register_module("decoder1", make_transposed(kNarrow, kWide))),
        decoder2(register_module("decoder2", make_transposed(kWide, context.input.channels))) {}

  std::vector<NetBlock> blocks() {
    return {{"encoder1", {"encoder1"}, [this](const at::Tensor& x) { return encoder1(x).relu_(); }},
            {"encoder2", {"encoder2"}, [this](const at::Tensor& x) { return encoder2(x); }},
            {"decoder1", {"decoder1"}, [this](const at::Tensor& x) { return decoder1(x).relu_(); }},
            {"decoder2", {"decoder2"}, [this](const at::Tensor& x) { return decoder2(x); }}};
  }

  Convolution encoder1, encoder2;
  torch::nn::ConvTranspose2d decoder1, decoder2;
};

std::unique_ptr<Model> make_conv_autoencoder(const ModelContext& context) {
  if (context.input.height % kShrinks != 0 || context.input.width % kShrinks != 0) {
    throw base::UsageError(
        fmt::format("model conv_autoencoder needs images whose sides are multiples of {}, but "
                    "these images have {}x{} pixels",
                    kShrinks, context.input.height, context.input.width));
  }
  return make_module_model<ConvAutoencoder>(context);
}

}  // namespace

extern const ModelEntry conv_autoencoder_entry;
const ModelEntry conv_autoencoder_entry{
    .name = "conv_autoencoder",
    .summary = "two convolutions reduce images to 4 channels, and two restore the images",
    .make = make_conv_autoencoder,
    .task = "reconstruction",
    .side_multiple = kShrinks,
    .blocks = 4};

}  // namespace dlscale::trainer
