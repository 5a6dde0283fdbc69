// SPDX-License-Identifier: Apache-2.0
#include "trainer/optim/loss.hpp"

#include <ATen/ops/cross_entropy_loss.h>

#include "trainer/kernels/gpu_kernels.hpp"

namespace dlscale::trainer {

at::Tensor cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing) {
  const at::Tensor fused = gpu_cross_entropy(scores, target, smoothing);
  if (fused.defined()) return fused;
  constexpr std::int64_t kIgnoreNone = -100;
  const bool is_small = scores.scalar_type() == at::kHalf || scores.scalar_type() == at::kBFloat16;
  const at::Tensor wide = is_small ? scores.to(at::kFloat) : scores;
  return at::cross_entropy_loss(wide, target, {}, at::Reduction::Mean, kIgnoreNone, smoothing);
}

}  // namespace dlscale::trainer
