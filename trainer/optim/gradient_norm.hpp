// SPDX-License-Identifier: Apache-2.0
// Norm of the gradients of a model, and gradient clipping by this norm.
#pragma once

#include <vector>

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Returns the squared norm of the gradients of `tensors`, taken as one vector. Tensors without a
/// gradient contribute 0.
double squared_norm(const std::vector<at::Tensor>& tensors);

/// Scales the gradients so that their norm, which is `norm` before the call, is at most `limit`.
/// The factor is limit / (norm + 1e-6), like in PyTorch's clip_grad_norm_.
void clip_to_norm(const std::vector<at::Tensor>& tensors, double limit, double norm);

}  // namespace dlscale::trainer
