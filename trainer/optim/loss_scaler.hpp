// SPDX-License-Identifier: Apache-2.0
// The factor that keeps 16-bit gradients from vanishing.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/tensor_archive.hpp

/// PyTorch's GradScaler with its defaults: the loss is scaled by 65536; a step whose gradients
/// overflow is left out and halves the scale; 2000 steps in a row that do not double it.
class LossScaler {
 public:
  LossScaler();
  double scale() const;
  /// What backward begins with, instead of 1.
  at::Tensor loss_gradient(const at::Tensor& loss) const;
  /// Divides the gradients of `tensors` by the scale. Returns whether all numbers are finite.
  bool unscale(const std::vector<at::Tensor>& tensors) const;
  /// Once a step, on all ranks with the same answer.
  void update(bool finite);
  /// Steps left out since it was last asked.
  std::int64_t take_skipped() { return std::exchange(skipped_, 0); }
  std::vector<NamedTensor> state();

 private:
  at::Tensor state_;  ///< the scale, and the finite steps since it changed; float64, on the CPU
  std::int64_t skipped_ = 0;
};

}  // namespace dlscale::trainer
