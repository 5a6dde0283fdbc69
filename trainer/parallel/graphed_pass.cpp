// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/graphed_pass.hpp"

#include <ATen/ops/_foreach_zero.h>

#include <utility>

namespace dlscale::trainer {

using contract::StepPart;

GraphedPass::GraphedPass(std::unique_ptr<WorkRecorder> recorder, Parts parts)
    : recorder_(std::move(recorder)), parts_(std::move(parts)) {}

at::Tensor GraphedPass::run(const Batch& batch, bool is_first, StepTimer& timer) {
  if (rehearsed_ == 0) {
    batch_ = {at::empty_like(batch.input), at::empty_like(batch.target)};
  }
  if (!fits(batch)) return by_hand(batch, timer);
  // Not between the passes of a step: gradients of those by hand lie elsewhere.
  if (!backward_ && is_first && rehearsed_ >= kRehearsals) record(batch);
  return backward_ ? replay(batch, is_first, timer) : by_hand(batch, timer);
}

bool GraphedPass::fits(const Batch& batch) const {
  return batch.input.sizes() == batch_.input.sizes() &&
         batch.target.sizes() == batch_.target.sizes();
}

at::Tensor GraphedPass::by_hand(const Batch& batch, StepTimer& timer) {
  ++rehearsed_;
  at::Tensor loss;
  recorder_->rehearse([&] { loss = parts_.forward(batch); });
  timer.enter(StepPart::backward);
  recorder_->rehearse([&] { loss.backward(parts_.loss_gradient(loss)); });
  return loss.detach();
}

void GraphedPass::record(const Batch& batch) {
  batch_.input.copy_(batch.input);
  batch_.target.copy_(batch.target);
  // What a pass finds undefined it makes anew; what it finds it adds to.
  if (parts_.adds) {
    for (at::Tensor& each : parts_.parameters) each.mutable_grad() = at::zeros_like(each);
  }
  forward_ = recorder_->record([&] { loss_ = parts_.forward(batch_); });
  loss_gradient_ = parts_.loss_gradient(loss_);
  backward_ = recorder_->record([&] { loss_.backward(loss_gradient_); });
  loss_ = loss_.detach();
  for (const at::Tensor& each : parts_.parameters) gradients_.push_back(each.grad());
}

at::Tensor GraphedPass::replay(const Batch& batch, bool is_first, StepTimer& timer) {
  batch_.input.copy_(batch.input, /*non_blocking=*/true);
  batch_.target.copy_(batch.target, /*non_blocking=*/true);
  if (is_first) {
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      parts_.parameters[i].mutable_grad() = gradients_[i];
    }
    if (parts_.adds) at::_foreach_zero_(gradients_);
  }
  forward_->replay();
  timer.enter(StepPart::backward);
  if (loss_gradient_.defined()) loss_gradient_.copy_(parts_.loss_gradient(loss_));
  backward_->replay();
  return parts_.adds ? loss_.clone() : loss_;
}

}  // namespace dlscale::trainer
