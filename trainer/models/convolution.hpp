// SPDX-License-Identifier: Apache-2.0
// 2-d convolution that selects the fastest CPU kernel. Only files in models/ use this layer.
#pragma once

#include <torch/nn/modules/conv.h>

namespace dlscale::trainer {

/// Computes at::conv2d with one group and without dilation. On a CPU, the function selects the
/// kernel:
/// - 1x1 filters in fp32 with channels last use oneDNN. For fewer than 16 samples on one thread,
///   LibTorch 2.11 would select its own slower kernels. With channels first, LibTorch's own kernels
///   are used, because oneDNN would have to reorder the data.
/// - Strided 1x1 filters with few input channels and channels last use a work-around for a fault of
///   oneDNN (convolution.cpp).
/// - 3x3 filters of stride 1 use Winograd's algorithm where it is faster than oneDNN, because it
///   needs fewer multiplications (winograd.hpp).
at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding);

/// Layer like torch::nn::Conv2d with one group, no dilation and zero padding. Parameter names and
/// initial values are the same.
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
