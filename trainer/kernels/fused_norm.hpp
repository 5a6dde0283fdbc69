// SPDX-License-Identifier: Apache-2.0
// Batch normalisation for training, fused with the operations that follow it.
//
// The fused kernels make two passes over memory forward and two backward. LibTorch's operators make
// up to nine forward and nine backward.
#pragma once

#include <torch/types.h>

namespace dlscale::trainer {

struct NormParameters {
  const at::Tensor& weight;
  const at::Tensor& bias;
  const at::Tensor& running_mean;  ///< moves towards the batch mean by `momentum`
  const at::Tensor& running_variance;
  const at::Tensor& batches;  ///< number of batches so far, one int64
  double momentum;
  double epsilon;
};

/// Returns true when fused_norm() supports the arguments. `images` must lie on a CPU with channels
/// last, have type fp32, fp64 or bf16, and have more than one value per channel. `added` must be
/// undefined or have the same layout, type and shape.
bool can_fuse_norm(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight);

/// Returns ReLU(norm(images) + added) with the statistics of this batch. `added` may be undefined,
/// and the ReLU is left out when `relu` is false.
at::Tensor fused_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                      const NormParameters& parameters);

}  // namespace dlscale::trainer
