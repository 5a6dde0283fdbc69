// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/graphed_pass.hpp"

#include <ATen/ops/_foreach_zero.h>

#include <utility>

#include "base/error.hpp"

namespace dlscale::trainer {

using contract::StepPart;

GraphedPass::GraphedPass(std::unique_ptr<WorkRecorder> recorder, Parts parts)
    : recorder_(std::move(recorder)), parts_(std::move(parts)) {}

at::Tensor GraphedPass::run(const Batch& batch, bool is_first, StepTimer& timer) {
  if (rehearsed_ == 0) {
    batch_ = {at::empty_like(batch.input), at::empty_like(batch.target)};
  }
  if (!fits(batch)) return by_hand(batch, timer);
  // Only the first pass of a step is recorded. In any other pass, the gradients of the previous
  // passes of the step lie in memory that the graphs do not use. A replay could not add to these
  // gradients.
  const bool records = !backward_ && is_first && rehearsed_ >= kRehearsals && !gave_up_;
  if (records) record(batch);
  return backward_ ? replay(batch, is_first, timer) : by_hand(batch, timer);
}

std::string GraphedPass::take_warning() {
  return std::exchange(warning_, {});
}

void GraphedPass::add_counts(Counts& counts) {
  counts.emplace_back("graphed_passes", std::exchange(graphed_passes_, 0));
  counts.emplace_back("graphed_optimizer_steps", std::exchange(graphed_steps_, 0));
}

bool GraphedPass::fits(const Batch& batch) const {
  return batch.input.sizes() == batch_.input.sizes() &&
         batch.target.sizes() == batch_.target.sizes();
}

at::Tensor GraphedPass::by_hand(const Batch& batch, StepTimer& timer) {
  ++rehearsed_;
  replayed_ = false;
  at::Tensor loss;
  recorder_->rehearse([&] { loss = parts_.forward(batch); });
  timer.enter(StepPart::backward);
  recorder_->rehearse([&] { loss.backward(parts_.loss_gradient(loss)); });
  return loss.detach();
}

void GraphedPass::record(const Batch& batch) {
  try {
    record_passes(batch);
  } catch (const base::RunError& error) {
    gave_up_ = true;
    forward_.reset();
    backward_.reset();
    for (at::Tensor& each : parts_.parameters) each.mutable_grad().reset();
    warning_ = std::string("cuda_graph: steps run without graphs: ") + error.what();
  }
}

void GraphedPass::record_passes(const Batch& batch) {
  batch_.input.copy_(batch.input);
  batch_.target.copy_(batch.target);
  // A backward pass allocates a gradient that is undefined, but adds to a gradient that exists.
  // When a step accumulates gradients over several passes, the recorded pass must add to the
  // gradients. The gradients must therefore exist before the recording.
  if (parts_.adds) {
    for (at::Tensor& each : parts_.parameters) each.mutable_grad() = at::zeros_like(each);
  }
  forward_ = recorder_->record([&] { loss_ = parts_.forward(batch_); });
  loss_gradient_ = parts_.loss_gradient(loss_);
  backward_ = recorder_->record([&] { loss_.backward(loss_gradient_); });
  loss_ = loss_.detach();
  for (const at::Tensor& each : parts_.parameters) gradients_.push_back(each.grad());
}

bool GraphedPass::step(double learning_rate) {
  if (!replayed_ || step_gave_up_) return false;
  if (!step_) record_step();
  if (!step_) return false;
  if (learning_rate != filled_rate_) learning_rate_.fill_(learning_rate);
  filled_rate_ = learning_rate;
  step_->replay();
  ++graphed_steps_;
  return true;
}

void GraphedPass::record_step() {
  const at::NoGradGuard no_gradients;
  learning_rate_ = at::full({}, filled_rate_, loss_.options().dtype(at::kFloat));
  bool done = false;
  std::string why = "the optimizer, gradient clipping or loss scaling needs values on the CPU";
  try {
    step_ = recorder_->record([&] { done = parts_.step(learning_rate_); });
  } catch (const base::RunError& error) {
    why = error.what();
  }
  if (done && step_) return;
  step_.reset();
  step_gave_up_ = true;
  warning_ = "cuda_graph: the optimizer step runs without a graph: " + why;
}

at::Tensor GraphedPass::replay(const Batch& batch, bool is_first, StepTimer& timer) {
  replayed_ = true;
  ++graphed_passes_;
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
