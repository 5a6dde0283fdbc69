// SPDX-License-Identifier: Apache-2.0
#include "trainer/optim/loss.hpp"

#include <ATen/ops/cross_entropy_loss.h>

namespace dlscale::trainer {

at::Tensor cross_entropy(const at::Tensor& scores, const at::Tensor& target, double smoothing) {
  constexpr std::int64_t kIgnoreNone = -100;
  return at::cross_entropy_loss(scores, target, {}, at::Reduction::Mean, kIgnoreNone, smoothing);
}

}  // namespace dlscale::trainer
