// SPDX-License-Identifier: Apache-2.0
// Data parallelism with replicas. Each rank runs the forward and backward passes on its own
// replica, and a GradientSync combines the gradients.
#include "trainer/parallel/replicated.hpp"

#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "contract/run_spec/framework_styles.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/parallel/graphed_pass.hpp"
#include "trainer/parallel/micro_batches.hpp"
#include "trainer/parallel/optimizer_step.hpp"
#include "trainer/parallel/rank_group.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

using contract::StepPart;

class Replicated : public ParallelStyle {
 public:
  Replicated(StyleContext context, const SyncEntry& sync)
      : loss_of_(context.loss),
        micro_batches_(context.spec, context.queue.size()),
        autocast_(context.spec.precision, context.device.torch_device().type()),
        broadcasts_buffers_(
            contract::framework_style(context.spec.framework).reads("broadcast_buffers") &&
            context.spec.framework_options.broadcast_buffers),
        queue_(context.queue),
        model_(std::move(context.model)),
        sync_(sync.make({.parameters = model_->parameters(),
                         .parameter_names = model_->parameter_names(),
                         .options = context.spec.framework_options,
                         .queue = context.queue,
                         .clock = context.clock,
                         .model = model_.get(),
                         .environment = context.environment,
                         .warn = context.warn})),
        optimized_(sync_->optimized()),
        optimizer_(context.spec, optimized_.tensors, make_optimizer(context),
                   optimized_.is_shard ? &queue_ : nullptr) {
    if (context.spec.cuda_graph) graphed_.emplace(context.device.recorder(), graph_parts());
  }

  at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) override {
    at::Tensor loss;
    for (int i = 0; i < micro_batches_.count(); ++i) {
      const at::Tensor part = micro_step(micro_batches_.part(batch, i), i, timer);
      loss = loss.defined() ? loss.add_(part) : part;
    }
    sync_->after_backward();

    timer.enter(StepPart::optimizer);
    const double in_forward_s = sync_->exposed_in_forward_s();
    timer.move(StepPart::forward, StepPart::exposed_comm, in_forward_s);
    timer.move(StepPart::backward, StepPart::exposed_comm, sync_->exposed_comm_s() - in_forward_s);
    if (!graphed_ || !graphed_->step(learning_rate)) optimizer_.step(learning_rate);
    // Gradients are released instead of being set to zero. The next backward pass then stores its
    // gradients directly, which saves the addition to zeros.
    for (const at::Tensor& parameter : model_->parameters()) parameter.mutable_grad().reset();
    timer.enter(StepPart::exposed_comm);
    timer.move(StepPart::optimizer, StepPart::exposed_comm,
               optimizer_.waited_s_since_last_call() + std::exchange(norms_waited_s_, 0));
    sync_->after_step();
    return loss;
  }

  at::Tensor predict(const at::Tensor& input) override {
    const auto casts = autocast_.forward_pass();
    return model_->forward(input);
  }
  void set_training(bool training) override {
    if (!training) broadcast_buffers(*model_, queue_);
    model_->set_training(training);
  }
  void swap_ema_weights() override {
    if (!optimizer_.has_mean()) return;
    optimizer_.swap_ema_weights();
    sync_->after_step();
  }
  Counts take_counts() override {
    Counts counts = sync_->take_counts();
    optimizer_.add_counts(counts);
    if (graphed_) graphed_->add_counts(counts);
    return counts;
  }
  std::string take_warning() override { return graphed_ ? graphed_->take_warning() : ""; }
  std::vector<NamedTensor> state() override;
  std::vector<NamedTensor> shard() override;
  void load(const std::vector<NamedTensor>& state) override;

 private:
  std::unique_ptr<Optimizer> make_optimizer(const StyleContext& context) {
    const auto sum = [this](std::vector<double>& numbers) {
      const auto count = static_cast<std::int64_t>(numbers.size());
      const auto work =
          queue_.all_reduce({numbers.data(), count, ElementType::float64}, ReduceOp::sum);
      norms_waited_s_ += queue_.wait_for(*work);
    };
    if (!optimized_.is_shard) return context.make_optimizer({optimized_.tensors});
    return context.make_optimizer({optimized_.tensors, optimized_.pieces, sum});
  }

  /// Runs one micro-batch. Returns the contribution of the micro-batch to the loss of the step.
  at::Tensor micro_step(const Batch& batch, int number, StepTimer& timer) {
    const bool is_last = number + 1 == micro_batches_.count();
    share_buffers(is_last, timer);
    timer.enter(StepPart::forward);
    sync_->before_forward(is_last);
    if (graphed_) return graphed_->run(batch, number == 0, timer);
    at::Tensor output;
    const at::Tensor loss = forward(batch, output);
    timer.enter(StepPart::backward);
    sync_->before_backward(output);
    loss.backward(optimizer_.loss_gradient(loss));
    return loss.detach();
  }

  at::Tensor forward(const Batch& batch, at::Tensor& output) {
    const auto casts = autocast_.forward_pass();
    output = model_->forward(batch.input);
    const at::Tensor loss = loss_of_(output, batch.target);
    return micro_batches_.weighted(loss, batch.size());
  }

  /// Returns the parts of a step that CUDA graphs record. The GradientSync must not run code during
  /// a forward or backward pass, because the replay of a graph runs no code on the host.
  GraphedPass::Parts graph_parts() {
    return {
        .forward =
            [this](const Batch& batch) {
              at::Tensor output;
              return forward(batch, output);
            },
        .loss_gradient = [this](const at::Tensor& loss) { return optimizer_.loss_gradient(loss); },
        .step = [this](const at::Tensor& rate) { return optimizer_.step_recordable(rate); },
        .parameters = model_->parameters(),
        .adds = micro_batches_.count() > 1};
  }

  /// Returns true when `tensor` of the optimizer state is partitioned over the ranks. Tensors that
  /// are equal on all ranks, such as the step count, are not partitioned.
  bool is_shard(const at::Tensor& tensor) const {
    return optimized_.is_shard && std::any_of(optimized_.tensors.begin(), optimized_.tensors.end(),
                                              [&](const at::Tensor& each) {
                                                return each.sizes() == tensor.sizes() &&
                                                       each.dtype() == tensor.dtype();
                                              });
  }

  /// Broadcasts the model buffers of rank 0 if the run requests the broadcast. When a step
  /// accumulates gradients over several passes, the broadcast happens only before the first of
  /// these passes, as in PyTorch's DDP wrapper.
  void share_buffers(bool exchanges, StepTimer& timer) {
    if (!broadcasts_buffers_) return;
    if (buffers_are_due_) {
      timer.enter(StepPart::exposed_comm);
      broadcast_buffers(*model_, queue_);
    }
    buffers_are_due_ = exchanges;
  }

  decltype(StyleContext::loss) loss_of_;
  MicroBatches micro_batches_;
  Autocast autocast_;
  bool broadcasts_buffers_;
  bool buffers_are_due_ = true;
  double norms_waited_s_ = 0;  ///< seconds that the optimizer waited for the norms from other ranks
  CollectiveQueue& queue_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<GradientSync> sync_;
  Optimized optimized_;
  OptimizerStep optimizer_;
  std::optional<GraphedPass> graphed_;  ///< set when the run requests CUDA graphs
};

std::vector<NamedTensor> Replicated::state() {
  std::vector<NamedTensor> all;
  sync_->gather_parameters();
  for (const NamedTensor& part : model_->state()) {
    const at::Tensor tensor = part.tensor.detach();
    all.push_back({"model." + part.name, optimized_.is_shard ? tensor.clone() : tensor});
  }
  sync_->release_parameters(false);
  for (NamedTensor& part : optimizer_.state()) {
    if (!is_shard(part.tensor)) all.push_back({"optimizer." + part.name, std::move(part.tensor)});
  }
  return all;
}

std::vector<NamedTensor> Replicated::shard() {
  std::vector<NamedTensor> mine;
  for (NamedTensor& part : optimizer_.state()) {
    if (is_shard(part.tensor)) mine.push_back({"optimizer." + part.name, std::move(part.tensor)});
  }
  append(mine, "sync.", sync_->state());
  return mine;
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
}

/// Returns the entry of style_table() for `framework`. Returns null when `framework` is a style in
/// which each rank has a replica of the model.
const StyleEntry* divided_style(const std::string& framework) {
  for (const StyleEntry* entry : style_table()) {
    if (entry->name == framework) return entry;
  }
  return nullptr;
}

}  // namespace

DataShare share_of(const contract::RunSpec& spec, int rank) {
  const StyleEntry* style = divided_style(spec.framework);
  return style != nullptr ? style->share(spec, rank) : DataShare{rank, spec.gpus};
}

std::unique_ptr<ParallelStyle> make_style(StyleContext context) {
  const std::string& framework = context.spec.framework;
  if (const StyleEntry* style = divided_style(framework)) return style->make(std::move(context));
  const SyncEntry& sync = base::find(sync_table(), "framework", framework);
  return std::make_unique<Replicated>(std::move(context), sync);
}

}  // namespace dlscale::trainer
