// SPDX-License-Identifier: Apache-2.0
// LibTorch's own rule (ConvParams::use_mkldnn) sends every dilated convolution to oneDNN, forward
// and backward; and a filter of one value has no gaps to be dilated.
// Backward to the filter, oneDNN gathers the pixels that a strided 1x1 filter sees, and writes past
// that memory where channels are last and fewer than its block (8 with AVX2, 16 with AVX-512):
// wrong gradients, crashes, loops without end (oneDNN issue 6035). Those pixels gathered
// beforehand, no stride is left.
// 3x3 filters of stride 1 go to winograd.hpp where that is faster. With cpu_kernels = "framework"
// only what would be wrong is kept from LibTorch.
#include "trainer/models/convolution.hpp"

#include "trainer/kernels/cpu_kernels.hpp"
#include "trainer/kernels/winograd.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kEnoughSamples = 16;  // LibTorch itself takes oneDNN from here on
constexpr std::int64_t kFewValues = 20480;   // of a single sample: its own kernels are faster
constexpr std::int64_t kWidestBlock = 16;    // oneDNN's, of channels

bool is_of_one_value(const at::Tensor& weight) {
  return weight.size(2) == 1 && weight.size(3) == 1;
}

bool has_channels_last(const at::Tensor& input) {
  return input.is_contiguous(at::MemoryFormat::ChannelsLast);
}

bool is_miscounted(const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef stride,
                   at::IntArrayRef padding) {
  return at::hasMKLDNN() && input.is_cpu() && is_of_one_value(weight) &&
         weight.size(1) < kWidestBlock && (stride[0] > 1 || stride[1] > 1) && padding[0] == 0 &&
         padding[1] == 0 && has_channels_last(input);
}

bool is_left_to_slow_kernels(const at::Tensor& input, const at::Tensor& weight) {
  return at::hasMKLDNN() && input.is_cpu() && input.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && is_of_one_value(weight) &&
         has_channels_last(input) && input.size(0) < kEnoughSamples &&
         (input.size(0) > 1 || input.numel() > kFewValues);
}

}  // namespace

at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding) {
  const bool fast = uses_fast_cpu_kernels();
  if (fast && stride[0] == 1 && stride[1] == 1 && suits_winograd(input, weight, bias, padding)) {
    return winograd_convolve(input, weight, bias, padding);
  }
  if (is_miscounted(input, weight, stride, padding)) {
    const at::Tensor seen = input.slice(2, 0, std::nullopt, stride[0])
                                .slice(3, 0, std::nullopt, stride[1])
                                .contiguous(at::MemoryFormat::ChannelsLast);
    return convolve(seen, weight, bias, {1, 1}, padding);
  }
  const std::int64_t dilation = fast && is_left_to_slow_kernels(input, weight) ? 2 : 1;
  return at::conv2d(input, weight, bias, stride, padding, dilation);
}

}  // namespace dlscale::trainer
