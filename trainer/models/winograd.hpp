// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: 3x3 convolutions with a quarter of the multiplications.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Whether a convolution of stride 1 can be computed so and is worth it: fp32 with channels last on
/// a CPU.
bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, at::IntArrayRef padding);

/// at::conv2d of stride 1, forward and backward, by winograd_kernels.hpp. `bias` may be undefined.
at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding);

}  // namespace dlscale::trainer
