// SPDX-License-Identifier: Apache-2.0
// Batch normalisation for training on CPUs, fused with the residual addition and the ReLU that
// follow it.
//
// The speed depends on the number of passes over memory. The fused kernels make two passes in the
// forward direction and two in the backward direction. LibTorch's separate operators make up to
// nine passes in each direction.
#pragma once

#include <torch/types.h>

namespace dlscale::trainer {

struct NormParameters {
  const at::Tensor& weight;
  const at::Tensor& bias;
  const at::Tensor& running_mean;  ///< updated by running += momentum x (batch mean - running)
  const at::Tensor& running_variance;
  const at::Tensor& batches;  ///< number of batches so far, one int64 value
  double momentum;
  double epsilon;
};

/// Returns true when fused_norm() supports the arguments. `images` must lie on a CPU with channels
/// last, have type fp32, fp64 or bf16, and have more than one value per channel. `added` must be
/// undefined or have the same layout, type and shape as `images`.
bool can_fuse_norm(const at::Tensor& images, const at::Tensor& added, const at::Tensor& weight);

/// Returns ReLU(norm(images) + added). The normalisation uses the statistics of this batch. If
/// `added` is undefined, nothing is added. If `relu` is false, the ReLU is left out.
at::Tensor fused_norm(const at::Tensor& images, const at::Tensor& added, bool relu,
                      const NormParameters& parameters);

}  // namespace dlscale::trainer
