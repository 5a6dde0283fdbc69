// SPDX-License-Identifier: Apache-2.0
// Norm of the gradients of a model, and gradient clipping by this norm.
#pragma once

#include <vector>

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Returns the square of the 2-norm of one vector that consists of the gradients of all `tensors`.
/// Tensors without a gradient contribute 0.
double squared_norm(const std::vector<at::Tensor>& tensors);

/// Scales the gradients so that their norm is at most `limit`. `norm` is the norm of the gradients
/// before the call. If the norm exceeds the limit, all gradients are multiplied by limit / (norm +
/// 1e-6), as in PyTorch's clip_grad_norm_.
void clip_to_norm(const std::vector<at::Tensor>& tensors, double limit, double norm);

}  // namespace dlscale::trainer
