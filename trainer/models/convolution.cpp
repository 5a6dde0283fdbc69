// SPDX-License-Identifier: Apache-2.0
// LibTorch's own rule (ConvParams::use_mkldnn) sends every dilated convolution to oneDNN, forward
// and backward; and a filter of one value has no gaps to be dilated.
#include "trainer/models/convolution.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kEnoughSamples = 16;  // LibTorch itself takes oneDNN from here on
constexpr std::int64_t kFewValues = 20480;   // of a single sample: its own kernels are faster

bool is_left_to_slow_kernels(const at::Tensor& input, const at::Tensor& weight) {
  return at::hasMKLDNN() && input.is_cpu() && input.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && weight.size(2) == 1 && weight.size(3) == 1 &&
         input.is_contiguous(at::MemoryFormat::ChannelsLast) && input.size(0) < kEnoughSamples &&
         (input.size(0) > 1 || input.numel() > kFewValues);
}

}  // namespace

at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef stride, at::IntArrayRef padding) {
  const std::int64_t dilation = is_left_to_slow_kernels(input, weight) ? 2 : 1;
  return at::conv2d(input, weight, bias, stride, padding, dilation);
}

}  // namespace dlscale::trainer
