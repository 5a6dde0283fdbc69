// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions with down to a quarter of the multiplications.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Whether a convolution of stride 1 can be computed so and is worth it: fp32 with channels last on
/// a CPU, enough channels, and results enough to make up for the points of filters and tiles.
bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef padding);

/// at::conv2d of stride 1, forward and backward, by winograd_kernels.hpp; without gradients of
/// gradients. `bias` may be undefined. An infinite value makes its tiles' results NaN.
at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding);

}  // namespace dlscale::trainer
