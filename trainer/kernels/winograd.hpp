// SPDX-License-Identifier: Apache-2.0
// 3x3 convolutions on CPUs by the Winograd algorithm. The algorithm needs as little as a quarter of
// the multiplications of a direct convolution.
#pragma once

#include <ATen/core/Tensor.h>

namespace dlscale::trainer {

/// Returns true when winograd_convolve() can compute a convolution of stride 1 with these
/// arguments, and is faster than LibTorch's convolution. The tensors must have type fp32 and lie on
/// a CPU, and the input must have channels last. The numbers of channels and of results must be
/// large enough, because otherwise the transforms of filters and tiles take longer than the saved
/// time.
bool suits_winograd(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias,
                    at::IntArrayRef padding);

/// Returns the same result as at::conv2d with stride 1, computed with winograd_kernels.hpp.
/// Supports the backward pass, but no second-order gradients. `bias` may be undefined. An infinite
/// input value turns all results into NaN in the tiles that read the value.
at::Tensor winograd_convolve(const at::Tensor& input, const at::Tensor& weight,
                             const at::Tensor& bias, at::IntArrayRef padding);

}  // namespace dlscale::trainer
