// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions by the Winograd algorithm, which needs as little as a quarter of the
// multiplications.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Returns true when winograd_convolve() supports a convolution of stride 1 and is faster. The
/// tensors must have type fp32 and lie on a CPU, and the input must have channels last. The
/// convolution needs enough channels, and enough results to offset the transforms of filters and
/// tiles.
bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef padding);

/// Returns at::conv2d with stride 1, forward and backward, computed by winograd_kernels.hpp. Does
/// not support second-order gradients. `bias` may be undefined. An infinite value turns all results
/// of its tiles into NaN.
at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding);

}  // namespace dlscale::trainer
