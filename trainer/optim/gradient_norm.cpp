// SPDX-License-Identifier: Apache-2.0
// Norm of the gradients of a model, and gradient clipping by this norm.
#include "trainer/optim/gradient_norm.hpp"

#include <torch/types.h>

namespace dlscale::trainer {
namespace {

constexpr double kAddedToNorm = 1e-6;  // same value as in PyTorch's clip_grad_norm_

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.grad().defined()) gradients.push_back(tensor.grad());
  }
  return gradients;
}

}  // namespace

double squared_norm(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard no_gradients;
  double sum = 0;
  const auto gradients = gradients_of(tensors);
  if (gradients.empty()) return 0;
  for (const at::Tensor& norm : at::_foreach_norm(gradients, 2)) {
    const double length = norm.item<double>();
    sum += length * length;
  }
  return sum;
}

void clip_to_norm(const std::vector<at::Tensor>& tensors, double limit, double norm) {
  const at::NoGradGuard no_gradients;
  const double factor = limit / (norm + kAddedToNorm);
  if (!(factor < 1)) return;
  auto gradients = gradients_of(tensors);
  if (!gradients.empty()) at::_foreach_mul_(gradients, factor);
}

}  // namespace dlscale::trainer
