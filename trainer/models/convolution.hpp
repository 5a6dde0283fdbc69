// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: 2-d convolution as this program's models use it.
#pragma once

#include <torch/nn/modules/conv.h>

namespace dlscale::trainer {

/// at::conv2d of one group without dilation. On a CPU, in fp32 with channels last, it goes to
/// oneDNN also where LibTorch 2.11 would take its own slower kernels: 1x1 filters of fewer than 16
/// samples on one thread. With channels first these are the faster ones, as oneDNN would have to
/// reorder. Narrow strided 1x1 filters with channels last are kept from a fault of oneDNN. 3x3
/// filters of stride 1 take fewer multiplications than oneDNN's kernels where that is faster
/// (winograd.hpp).
at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding);

/// torch::nn::Conv2d, one group, no dilation, padded with zeros: its names and its initial values.
class ConvolutionImpl : public torch::nn::Conv2dImpl {
 public:
  explicit ConvolutionImpl(const torch::nn::Conv2dOptions& settings)
      : torch::nn::Conv2dImpl(settings),
        padding_(std::get<torch::ExpandingArray<2>>(settings.padding())) {}
  at::Tensor forward(const at::Tensor& input) {
    return convolve(input, weight, bias, options.stride(), padding_);
  }

 private:
  torch::ExpandingArray<2> padding_;
};

TORCH_MODULE(Convolution);

}  // namespace dlscale::trainer
