// SPDX-License-Identifier: Apache-2.0
// Data parallelism by replicas: forward and backward on each rank, gradients brought together by a
// GradientSync.
#include "trainer/parallel/replicated.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/data/batch.hpp"
#include "trainer/optim/gradient_norm.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

using contract::StepPart;

class Replicated : public ParallelStyle {
 public:
  Replicated(StyleContext context, const SyncEntry& sync)
      : smoothing_(context.spec.label_smoothing),
        clip_norm_(context.spec.clip_norm),
        micro_batches_(context.spec.accumulation_steps),
        queue_(context.queue),
        model_(std::move(context.model)),
        sync_(sync.make({.parameters = model_->parameters(),
                         .parameter_names = model_->parameter_names(),
                         .options = context.spec.framework_options,
                         .queue = context.queue,
                         .clock = context.clock,
                         .model = model_.get()})),
        optimized_(sync_->optimized()),
        optimizer_(context.make_optimizer(optimized_.tensors)) {}

  at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) override {
    at::Tensor loss;
    const std::int64_t samples = batch.size() / micro_batches_;
    for (int i = 0; i < micro_batches_; ++i) {
      const at::Tensor part = micro_step({batch.input.narrow(0, i * samples, samples),
                                          batch.target.narrow(0, i * samples, samples)},
                                         i + 1 == micro_batches_, timer);
      loss = loss.defined() ? loss.add_(part) : part;
    }
    sync_->after_backward();

    timer.enter(StepPart::optimizer);
    timer.move(StepPart::backward, StepPart::exposed_comm, sync_->exposed_comm_s());
    clip();
    optimizer_->step(learning_rate);
    // Dropped, not zeroed: the next backward pass then stores gradients instead of adding to zeros.
    for (const at::Tensor& parameter : model_->parameters()) parameter.mutable_grad().reset();
    timer.enter(StepPart::exposed_comm);
    sync_->after_step();
    return loss;
  }

  at::Tensor predict(const at::Tensor& input) override { return model_->forward(input); }
  void set_training(bool training) override { model_->set_training(training); }
  std::vector<NamedTensor> state() override;
  void load(const std::vector<NamedTensor>& state) override;

 private:
  /// Returns its share of the step's loss.
  at::Tensor micro_step(const Batch& batch, bool is_last, StepTimer& timer) {
    timer.enter(StepPart::forward);
    sync_->before_forward(is_last);
    const at::Tensor output = model_->forward(batch.input);
    at::Tensor loss = cross_entropy(output, batch.target, smoothing_);
    if (micro_batches_ > 1) loss = loss / micro_batches_;

    timer.enter(StepPart::backward);
    sync_->before_backward(output);
    loss.backward();
    return loss.detach();
  }

  /// Of the optimizer's tensors: numbers that all ranks have alike (a count of steps) are none.
  bool is_shard(const at::Tensor& tensor) const {
    return optimized_.is_shard && std::any_of(optimized_.tensors.begin(), optimized_.tensors.end(),
                                              [&](const at::Tensor& each) {
                                                return each.sizes() == tensor.sizes() &&
                                                       each.dtype() == tensor.dtype();
                                              });
  }

  void clip() {
    if (clip_norm_ == 0) return;
    double square = squared_norm(optimized_.tensors);
    if (optimized_.is_shard) {
      queue_.all_reduce({&square, 1, ElementType::float64}, ReduceOp::sum)->wait();
    }
    clip_to_norm(optimized_.tensors, clip_norm_, std::sqrt(square));
  }

  double smoothing_;
  double clip_norm_;
  int micro_batches_;
  CollectiveQueue& queue_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<GradientSync> sync_;
  Optimized optimized_;
  std::unique_ptr<Optimizer> optimizer_;
};

std::vector<NamedTensor> Replicated::state() {
  std::vector<NamedTensor> all;
  sync_->gather_parameters();
  for (const NamedTensor& part : model_->state()) {
    const at::Tensor tensor = part.tensor.detach();
    all.push_back({"model." + part.name, optimized_.is_shard ? tensor.clone() : tensor});
  }
  sync_->release_parameters(false);
  for (NamedTensor& part : optimizer_->state()) {
    if (is_shard(part.tensor)) {
      const at::Tensor whole =
          at::empty({queue_.size(), part.tensor.numel()}, part.tensor.options());
      queue_.all_gather(span_of(part.tensor), span_of(whole))->wait();
      part.tensor = whole;
    }
    all.push_back({"optimizer." + part.name, std::move(part.tensor)});
  }
  return all;
}

void Replicated::load(const std::vector<NamedTensor>& state) {
  std::vector<at::Tensor> tensors;
  for (const NamedTensor& part : state) tensors.push_back(part.tensor.detach());
  broadcast_from_root(tensors, queue_);
  const at::NoGradGuard no_gradients;
  std::size_t next = 0;
  sync_->gather_parameters();
  for (const NamedTensor& mine : model_->state()) {
    const at::Tensor& loaded = tensors[next++];
    if (mine.tensor.data_ptr() != loaded.data_ptr()) mine.tensor.detach().copy_(loaded);
  }
  sync_->release_parameters(true);
  for (const NamedTensor& mine : optimizer_->state()) {
    const at::Tensor& loaded = tensors[next++];
    if (is_shard(mine.tensor)) mine.tensor.copy_(loaded[queue_.rank()].view_as(mine.tensor));
  }
}

}  // namespace

std::unique_ptr<ParallelStyle> make_replicated(StyleContext context, const SyncEntry& sync) {
  return std::make_unique<Replicated>(std::move(context), sync);
}

}  // namespace dlscale::trainer
