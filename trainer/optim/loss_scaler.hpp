// SPDX-License-Identifier: Apache-2.0
// Dynamic loss scaling, which keeps 16-bit gradients from underflowing to zero.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace dlscale::trainer {

struct NamedTensor;  // checkpoint/tensor_archive.hpp

/// Dynamic loss scaler with the defaults of PyTorch's GradScaler. The initial scale is 65536. A
/// step whose gradients overflow is skipped and halves the scale. The scale doubles after 2000
/// steps in a row without overflow.
class LossScaler {
 public:
  LossScaler();
  double scale() const;
  /// Returns a tensor that holds the scale, in the shape of `loss`. The backward pass starts with
  /// this gradient of the loss instead of 1, so that all gradients are scaled.
  at::Tensor loss_gradient(const at::Tensor& loss) const;
  /// Divides the gradients of `tensors` by the scale. Returns true when all gradients are finite.
  bool unscale(const std::vector<at::Tensor>& tensors) const;
  /// Updates the scale after a step. `finite` is true when all gradients of the step were finite.
  /// Must be called once per step, with the same value of `finite` on all ranks.
  void update(bool finite);
  /// Returns the number of skipped steps since the previous call.
  std::int64_t take_skipped() { return std::exchange(skipped_, 0); }
  std::vector<NamedTensor> state();

 private:
  /// Scale, and number of finite steps since the last change of the scale: two float64 values on
  /// the CPU.
  at::Tensor state_;
  std::int64_t skipped_ = 0;
};

}  // namespace dlscale::trainer
