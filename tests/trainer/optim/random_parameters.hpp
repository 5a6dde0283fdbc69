// SPDX-License-Identifier: Apache-2.0
// Equal parameters and gradients for an optimizer and its reference.
#pragma once

#include <torch/types.h>
#include <torch/utils.h>

#include <vector>

namespace dlscale::test {

/// Returns parameters of three shapes in double precision. Every call returns equal values.
inline std::vector<at::Tensor> random_parameters() {
  torch::manual_seed(11);
  std::vector<at::Tensor> parameters;
  for (const auto& shape : {std::vector<std::int64_t>{5, 3}, {3}, {2, 2, 3}}) {
    parameters.push_back(torch::randn(shape, torch::kDouble).requires_grad_());
  }
  return parameters;
}

/// Sets the same new random gradients in `a` and `b`.
inline void give_gradients(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i].mutable_grad() = torch::randn_like(a[i]).detach();
    b[i].mutable_grad() = a[i].grad().clone();
  }
}

}  // namespace dlscale::test
