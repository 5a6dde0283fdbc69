// SPDX-License-Identifier: Apache-2.0
// The length of a gradient, and how it is limited.
#pragma once

#include <vector>

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Of the gradients of `tensors`, as one vector; those without a gradient count nothing.
double squared_norm(const std::vector<at::Tensor>& tensors);

/// Scales the gradients so that their norm, which is `norm` now, is at most `limit`: as PyTorch's
/// clip_grad_norm_ by limit / (norm + 1e-6).
void clip_to_norm(const std::vector<at::Tensor>& tensors, double limit, double norm);

}  // namespace dlscale::trainer
