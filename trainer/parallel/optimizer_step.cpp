// SPDX-License-Identifier: Apache-2.0
// End of a training step, at which the gradients are unscaled, clipped and applied.
#include "trainer/parallel/optimizer_step.hpp"

#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>

#include <cmath>
#include <string>
#include <utility>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/gradient_norm.hpp"

namespace dlscale::trainer {

OptimizerStep::OptimizerStep(const contract::RunSpec& spec, std::vector<at::Tensor> tensors,
                             std::unique_ptr<Optimizer> optimizer, CollectiveQueue* holders)
    : clip_norm_(spec.clip_norm),
      ema_decay_(spec.ema_decay),
      tensors_(std::move(tensors)),
      optimizer_(std::move(optimizer)),
      holders_(holders) {
  if (spec.precision == "fp16") scaler_.emplace();
  if (ema_decay_ == 0) return;
  for (const at::Tensor& tensor : tensors_) mean_.push_back(tensor.detach().clone());
}

at::Tensor OptimizerStep::loss_gradient(const at::Tensor& loss) const {
  return scaler_ ? scaler_->loss_gradient(loss) : at::Tensor();
}

void OptimizerStep::step(double learning_rate) {
  if (!unscale()) return;
  clip();
  optimizer_->step(learning_rate);
  follow();
}

bool OptimizerStep::step_recordable(const at::Tensor& learning_rate) {
  if (scaler_ || clip_norm_ != 0 || holders_ != nullptr) return false;
  if (!optimizer_->step_recordable(learning_rate)) return false;
  follow();
  return true;
}

void OptimizerStep::follow() {
  if (mean_.empty()) return;
  const at::NoGradGuard no_gradients;
  at::_foreach_mul_(mean_, ema_decay_);
  at::_foreach_add_(mean_, tensors_, 1 - ema_decay_);
}

void OptimizerStep::swap_ema_weights() {
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const at::Tensor parameters = tensors_[i].clone();
    tensors_[i].copy_(mean_[i]);
    mean_[i].copy_(parameters);
  }
}

/// Divides the gradients by the loss scale if the run scales its losses. Returns true when the
/// gradients on all holder ranks are finite, so that the optimizer can apply the gradients.
bool OptimizerStep::unscale() {
  if (!scaler_) return true;
  const bool finite = sum_over_holders(scaler_->unscale(tensors_) ? 0 : 1) == 0;
  scaler_->update(finite);
  return finite;
}

void OptimizerStep::clip() {
  if (clip_norm_ == 0) return;
  clip_to_norm(tensors_, clip_norm_, std::sqrt(sum_over_holders(squared_norm(tensors_))));
}

double OptimizerStep::sum_over_holders(double value) {
  if (holders_ != nullptr) {
    const auto sum = holders_->all_reduce({&value, 1, ElementType::float64}, ReduceOp::sum);
    waited_s_ += holders_->wait_for(*sum);
  }
  return value;
}

void OptimizerStep::add_counts(Counts& counts) {
  if (scaler_) counts.emplace_back("skipped_steps", scaler_->take_skipped());
}

std::vector<NamedTensor> OptimizerStep::state() {
  std::vector<NamedTensor> all = optimizer_->state();
  if (scaler_) append(all, "", scaler_->state());
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    all.push_back({"ema_" + std::to_string(i), mean_[i]});
  }
  return all;
}

}  // namespace dlscale::trainer
