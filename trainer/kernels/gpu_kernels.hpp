// SPDX-License-Identifier: Apache-2.0
// Autograd functions for model layers that dlscale's own GPU kernels (folder cuda/) compute.
#pragma once

#include <torch/types.h>

#include "trainer/kernels/fused_norm.hpp"

namespace dlscale::trainer {

namespace kernel {
class Launches;
}

/// Sets the GPU kernels for the whole process. Null selects the kernels of LibTorch, which are the
/// default. Must be called before a model is built. `kernels` must stay valid as long as models use
/// the kernels.
void use_gpu_kernels(const kernel::Launches* kernels);
bool uses_gpu_kernels();

/// Returns true when gpu_norm() supports the arguments. `images` must have type fp32, fp16 or bf16,
/// channels last, and more than one value per channel. The parameters must have type fp32. `added`
/// must be undefined or have the same layout, type and shape as `images`.
bool can_norm_on_gpu(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight);

/// Returns ReLU(norm(images) + added). The normalisation uses the statistics of this batch,
/// computed in fp32. If `added` is undefined, nothing is added. If `relu` is false, the ReLU is
/// left out. Updates the running statistics and the number of batches in `parameters`.
at::Tensor gpu_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                    const NormParameters& parameters);

/// Returns the same result as at::max_pool2d with square windows and without dilation.
/// `covers_rest` is the ceil_mode of at::max_pool2d. Returns an undefined tensor when dlscale's
/// kernels do not support the arguments.
at::Tensor gpu_max_pool(const at::Tensor& images, int window, int stride, int padding,
                        bool covers_rest);

/// Returns the same loss as cross_entropy() in loss.hpp, which is the mean over the samples, in
/// fp32. `scores` has the shape samples x classes. Returns an undefined tensor when dlscale's
/// kernels do not support the arguments.
at::Tensor gpu_cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing);

}  // namespace dlscale::trainer
