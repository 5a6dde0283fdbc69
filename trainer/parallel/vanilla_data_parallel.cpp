// SPDX-License-Identifier: Apache-2.0
// Framework style vanilla_data_parallel: data parallelism coordinated by rank 0.
//
// In every step, rank 0 distributes parameters and samples and collects outputs and gradients. Only
// rank 0 owns the model.
#include <torch/types.h>

#include <optional>
#include <utility>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/batch_part.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/parallel/micro_batches.hpp"
#include "trainer/parallel/optimizer_step.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

using contract::StepPart;

constexpr int kRoot = 0;

/// Implements the steps replicate, scatter, parallel_apply and gather of torch.nn.parallel between
/// ranks. Every message starts or ends at rank 0, so the traffic of rank 0 grows with the number of
/// ranks.
class VanillaDataParallel : public ParallelStyle {
 public:
  explicit VanillaDataParallel(StyleContext context)
      : loss_of_(context.loss),
        micro_batches_(context.spec, 1),
        autocast_(context.spec.precision, context.device.torch_device().type()),
        sample_(std::move(context.sample)),
        is_text_(context.is_text),
        device_(context.device),
        queue_(context.queue),
        clock_(context.clock),
        model_(std::move(context.model)),
        options_(model_->parameters().front().options().requires_grad(false)) {
    if (is_root()) {
      optimizer_.emplace(context.spec, model_->parameters(),
                         context.make_optimizer({model_->parameters()}));
    }
  }

  at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) override {
    at::Tensor loss;
    for (int i = 0; i < micro_batches_.count(); ++i) {
      const at::Tensor part = micro_step(micro_batches_.part(batch, i), timer);
      loss = loss.defined() ? loss.add_(part) : part;
    }
    timer.enter(StepPart::optimizer);
    step(learning_rate);
    // The other ranks report a loss of 0. The factor makes the mean over all ranks equal to the
    // loss of rank 0.
    return loss * queue_.size();
  }

  at::Tensor predict(const at::Tensor& input) override {
    double start_s = clock_.steady_s();
    replicate();
    const at::Tensor mine = scatter_input(input);
    exchange_s_ += clock_.steady_s() - start_s;
    const at::Tensor output = forward(mine);
    // Otherwise, the measured time of the exchange would include the rest of the forward pass.
    device_.synchronize();
    start_s = clock_.steady_s();
    const at::Tensor outputs = gather(output, input.size(0));
    exchange_s_ += clock_.steady_s() - start_s;
    return is_root() ? outputs : at::Tensor();
  }
  std::optional<double> take_exchange_s() override { return std::exchange(exchange_s_, 0); }

  void set_training(bool training) override { model_->set_training(training); }
  void swap_ema_weights() override {
    if (optimizer_) optimizer_->swap_ema_weights();
  }
  Counts take_counts() override {
    Counts counts;
    if (optimizer_) optimizer_->add_counts(counts);
    return counts;
  }

  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    if (!is_root()) return all;
    append(all, "model.", model_->state());
    append(all, "optimizer.", optimizer_->state());
    return all;
  }
  /// Has no effect, because the tensors of state() share memory with the model and the optimizer.
  void load(const std::vector<NamedTensor>&) override {}

 private:
  bool is_root() const { return queue_.rank() == kRoot; }

  /// Runs one micro-batch and adds its gradients to the gradients on rank 0. Returns on rank 0 the
  /// loss that the micro-batch adds to the loss of the step.
  at::Tensor micro_step(const Batch& batch, StepTimer& timer) {
    timer.enter(StepPart::exposed_comm);
    replicate();
    const at::Tensor input = scatter_input(batch.input);
    timer.enter(StepPart::forward);
    const at::Tensor output = forward(input);
    timer.enter(StepPart::exposed_comm);
    at::Tensor outputs = gather(output.detach(), batch.size());

    at::Tensor loss = at::zeros({}, options_);
    at::Tensor output_gradients;
    if (is_root()) {
      timer.enter(StepPart::forward);
      outputs.set_requires_grad(true);
      loss = micro_batches_.weighted(loss_of_(outputs, batch.target), batch.size());
      timer.enter(StepPart::backward);
      loss.backward(optimizer_->loss_gradient(loss));
      output_gradients = outputs.grad();
      timer.enter(StepPart::exposed_comm);
    }
    output_gradients = scatter(
        output_gradients.defined() ? output_gradients : at::empty({batch.size(), 0}, options_),
        output.sizes().slice(1).vec(), output.options());
    timer.enter(StepPart::backward);
    output.backward(output_gradients);
    timer.enter(StepPart::exposed_comm);
    collect_gradients();
    return loss.detach();
  }

  at::Tensor forward(const at::Tensor& input) {
    const auto casts = autocast_.forward_pass();
    return model_->forward(input);
  }

  /// Copies the parameters and buffers of rank 0 to every other rank.
  void replicate() {
    const at::NoGradGuard no_gradients;
    for (const NamedTensor& part : model_->state()) {
      const at::Tensor tensor = part.tensor.detach();
      for (int rank = 1; rank < queue_.size(); ++rank) hand(tensor, kRoot, rank);
    }
  }

  static std::vector<std::int64_t> shape_of(std::int64_t samples, const at::Tensor& like) {
    std::vector<std::int64_t> shape = like.sizes().vec();
    shape[0] = samples;
    return shape;
  }

  /// Distributes the input from rank 0. For texts, rank 0 first sends the text length of the batch,
  /// which the other ranks do not know.
  at::Tensor scatter_input(const at::Tensor& input) {
    if (!is_text_) return scatter(input, sample_, options_);
    const at::Tensor length = at::tensor(input.size(-1), options_.dtype(at::kLong));
    for (int rank = 1; rank < queue_.size(); ++rank) hand(length, kRoot, rank);
    sample_.back() = length.item<std::int64_t>();
    return scatter(input, sample_, options_.dtype(at::kLong));
  }

  /// Distributes the tensor `whole` of rank 0 and returns this rank's chunk. On the other ranks,
  /// only the first dimension of `whole` is used, which is the number of samples. `one` is the
  /// shape of one sample, and `options` are the tensor options of the chunk.
  at::Tensor scatter(const at::Tensor& whole, const std::vector<std::int64_t>& one,
                     const at::TensorOptions& options) {
    at::Tensor mine;
    for (int rank = 0; rank < queue_.size(); ++rank) {
      const auto [first, count] = chunk(whole.size(0), rank);
      if (rank == queue_.rank()) {
        std::vector<std::int64_t> shape{count};
        shape.insert(shape.end(), one.begin(), one.end());
        mine = is_root() ? whole.narrow(0, first, count) : at::empty(shape, options);
      }
      if (rank == kRoot) continue;
      hand(is_root() ? whole.narrow(0, first, count).contiguous() : mine, kRoot, rank);
    }
    return mine;
  }

  /// Returns on rank 0 the chunks of all ranks, concatenated in rank order. Returns an undefined
  /// tensor on the other ranks.
  at::Tensor gather(const at::Tensor& mine, std::int64_t samples) {
    const at::Tensor dense = mine.contiguous();
    std::vector<at::Tensor> chunks{dense};
    for (int rank = 1; rank < queue_.size(); ++rank) {
      const at::Tensor there =
          is_root() ? at::empty(shape_of(chunk(samples, rank).count, mine), mine.options()) : dense;
      hand(there, rank, kRoot);
      chunks.push_back(there);
    }
    return is_root() ? at::cat(chunks) : at::Tensor();
  }

  /// Adds the gradients of every rank to the gradients on rank 0. The sum needs no division by the
  /// number of ranks, because each gradient already belongs to the mean loss over the samples of
  /// all ranks.
  void collect_gradients() {
    const at::NoGradGuard no_gradients;
    for (const at::Tensor& parameter : model_->parameters()) {
      at::Tensor& gradient = parameter.mutable_grad();
      if (!gradient.defined()) gradient = at::zeros_like(parameter);
      const at::Tensor theirs = is_root() ? at::empty_like(gradient) : gradient;
      for (int rank = 1; rank < queue_.size(); ++rank) {
        hand(theirs, rank, kRoot);
        if (is_root()) gradient.add_(theirs);
      }
      if (!is_root()) gradient.reset();
    }
  }

  void step(double learning_rate) {
    if (!optimizer_) return;
    optimizer_->step(learning_rate);
    for (const at::Tensor& parameter : model_->parameters()) parameter.mutable_grad().reset();
  }

  /// Sends `tensor` from rank `from` to rank `to`. Has no effect on a rank that is neither `from`
  /// nor `to`.
  void hand(const at::Tensor& tensor, int from, int to) {
    if (queue_.rank() == from) queue_.exchange(span_of(tensor), to, {}, kNobody)->wait();
    if (queue_.rank() == to) queue_.exchange({}, kNobody, span_of(tensor), from)->wait();
  }

  BatchPart chunk(std::int64_t samples, int rank) const {
    return part_of_batch(samples, rank, queue_.size());
  }

  decltype(StyleContext::loss) loss_of_;
  MicroBatches micro_batches_;
  Autocast autocast_;
  std::vector<std::int64_t> sample_;
  bool is_text_;
  Device& device_;
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  double exchange_s_ = 0;  ///< seconds of exchanges in predict() since the last take_exchange_s()
  std::unique_ptr<Model> model_;
  const at::TensorOptions options_;
  std::optional<OptimizerStep> optimizer_;  ///< set on rank 0 only
};

std::unique_ptr<ParallelStyle> make_vanilla_data_parallel(StyleContext context) {
  return std::make_unique<VanillaDataParallel>(std::move(context));
}

DataShare share_vanilla_data_parallel(const contract::RunSpec&, int rank) {
  return {.index = 0, .count = 1, .loads = rank == kRoot};
}

}  // namespace

extern const StyleEntry vanilla_data_parallel_entry;
const StyleEntry vanilla_data_parallel_entry{
    .name = "vanilla_data_parallel",
    .summary =
        "rank 0 sends parameters and samples to the other ranks and collects outputs and gradients",
    .make = make_vanilla_data_parallel,
    .share = share_vanilla_data_parallel};

}  // namespace dlscale::trainer
