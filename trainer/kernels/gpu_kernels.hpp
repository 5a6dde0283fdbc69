// SPDX-License-Identifier: Apache-2.0
// Layers of models on dlscale's own GPU kernels (cuda/), as functions that autograd knows.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string_view>

#include "trainer/kernels/fused_norm.hpp"

namespace dlscale::trainer {

namespace kernel {
class Launches;
}

/// Sets the kernels of the whole process, which trains one run, or null for those of LibTorch. Call
/// it before a model is built. The default is null.
void use_gpu_kernels(std::unique_ptr<kernel::Launches> kernels);
bool uses_gpu_kernels();

/// Whether gpu_norm can compute: fp32, fp16 or bf16 images with channels last, more than one value
/// for each channel, fp32 parameters, and `added`, unless undefined, like the images.
bool can_norm_on_gpu(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight);

/// ReLU(norm(images) + added) with the statistics of this batch; `added` may be undefined, and the
/// ReLU may be left out. Statistics are computed in fp32. Moves the running statistics and counts
/// the batch.
at::Tensor gpu_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                    const NormParameters& parameters);

/// at::max_pool2d of square windows without dilation, or an undefined tensor if these kernels
/// cannot compute it.
at::Tensor gpu_max_pool(const at::Tensor& images, int window, int stride, int padding,
                        bool covers_rest);

/// The mean of cross-entropy (loss.hpp) over the samples, fp32, or an undefined tensor if these
/// kernels cannot compute it. `scores`: samples x classes.
at::Tensor gpu_cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing);

}  // namespace dlscale::trainer
