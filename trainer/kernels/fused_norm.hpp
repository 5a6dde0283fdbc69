// SPDX-License-Identifier: Apache-2.0
// Batch normalisation in training with the operations that follow it, in two passes over memory
// forward and two backward, where LibTorch's operators make up to nine and nine.
#pragma once

#include <torch/types.h>

namespace dlscale::trainer {

struct NormParameters {
  const at::Tensor& weight;
  const at::Tensor& bias;
  const at::Tensor& running_mean;  ///< moved by `momentum` towards the batch's
  const at::Tensor& running_variance;
  const at::Tensor& batches;  ///< counts this one: one int64
  double momentum;
  double epsilon;
};

/// Whether fused_norm can be asked: for images on a CPU with their channels last, in fp32, fp64 or
/// bf16, with more than one value for each channel, and `added`, unless undefined, like them.
bool can_fuse_norm(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight);

/// ReLU(norm(images) + added), by the statistics of this batch; `added` may be undefined, ReLU left
/// out.
at::Tensor fused_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                      const NormParameters& parameters);

}  // namespace dlscale::trainer
