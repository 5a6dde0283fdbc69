// SPDX-License-Identifier: Apache-2.0
// Choice of the fastest correct CPU kernel for a 2-d convolution.
//
// - 1x1 filters: LibTorch uses oneDNN for every dilated convolution, forward and backward
//   (ConvParams::use_mkldnn). Dilation has no effect on a filter of one value. convolve() therefore
//   requests dilation 2 to make LibTorch use oneDNN.
// - Strided 1x1 filters: to compute the gradient of the filter, oneDNN first copies the pixels that
//   the filter reads to a buffer. With channels last, oneDNN writes past the end of this buffer if
//   the input has fewer channels than a channel block of oneDNN (8 with AVX2, 16 with AVX-512). The
//   effects are wrong gradients, crashes and infinite loops (oneDNN issue 6035). convolve()
//   therefore copies the pixels itself and then convolves without a stride.
// - 3x3 filters of stride 1: convolve() calls the kernels of winograd.hpp where they are faster.
// - With cpu_kernels = "framework", convolve() applies only the work-around for the fault of
//   oneDNN.
#include "trainer/models/convolution.hpp"

#include "trainer/kernels/cpu_kernels.hpp"
#include "trainer/kernels/winograd.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kEnoughSamples = 16;  // with this many samples, LibTorch itself uses oneDNN
// Number of input values up to which LibTorch's kernel is faster than oneDNN for a single sample.
constexpr std::int64_t kFewValues = 20480;
constexpr std::int64_t kWidestBlock = 16;  // largest block of channels in oneDNN

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
