// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/model_parallel.hpp"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/models/block_cost.hpp"
#include "trainer/parallel/optimizer_step.hpp"
#include "trainer/parallel/rank_group.hpp"
#include "trainer/parallel/spread_state.hpp"
#include "trainer/parallel/stage.hpp"
#include "trainer/parallel/stage_plan.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {
namespace {

using contract::StepPart;

/// Number of evaluation batches that a stage may compute ahead of the next stage.
constexpr std::size_t kPredictionsAhead = 2;

[[noreturn]] void refuse(const std::string& message) {
  throw base::RunError(message, contract::kExitBadRunDescription);
}

double cost_of(const BlockCost& cost, const std::string& balance) {
  if (balance == "parameters") return cost.parameters;
  return balance == "blocks" ? 1 : cost.multiply_adds;
}

/// Returns the index of the first block of each stage, followed by the number of blocks. Throws
/// base::RunError when the model has fewer blocks than stages.
std::vector<std::size_t> places_of(const std::vector<BlockCost>& blocks,
                                   const contract::RunSpec& spec, int stages) {
  if (blocks.size() < static_cast<std::size_t>(stages)) {
    refuse(fmt::format("{}: the model {} has only {} blocks and cannot be divided into {} stages",
                       spec.framework, spec.model, blocks.size(), stages));
  }
  std::vector<double> costs;
  for (const BlockCost& block : blocks) {
    costs.push_back(cost_of(block, spec.framework_options.balance));
  }
  return cut_into_stages(costs, static_cast<std::size_t>(stages));
}

/// Returns an uninitialised tensor for the output of block `cut` with `samples` samples. Block
/// `cut` is the last block of a stage, and its output is transferred to the next stage.
at::Tensor empty_batch(std::int64_t samples, const BlockCost& cut, const at::TensorOptions& like) {
  std::vector<std::int64_t> shape{samples};
  shape.insert(shape.end(), cut.output.begin(), cut.output.end());
  return at::empty(shape, like.dtype(cut.type));
}

/// Returns the index of the first block with trainable parameters. The earlier blocks need no
/// backward pass.
std::size_t first_trained_block(const Model& model) {
  const auto& blocks = model.blocks();
  const auto trained =
      std::ranges::find_if(blocks, [](const Block& block) { return !block.parameters.empty(); });
  return static_cast<std::size_t>(trained - blocks.begin());
}

class ModelParallel : public ParallelStyle {
 public:
  ModelParallel(StyleContext context, const ModelDivision& division,
                const std::vector<BlockCost>& blocks, const std::vector<std::size_t>& places)
      : spec_(context.spec),
        loss_of_(context.loss),
        division_(division),
        stage_number_(context.queue.rank() % division.stages),
        everyone_(context.queue),
        autocast_(spec_.precision, context.device.torch_device().type()),
        model_(std::move(context.model)),
        options_(model_->parameters().front().options().requires_grad(false)),
        first_(places[static_cast<std::size_t>(stage_number_)]),
        last_(places[static_cast<std::size_t>(stage_number_) + 1]),
        in_backward_(first_trained_block(*model_) < last_),
        hands_back_(first_trained_block(*model_) < first_),
        stage_(*model_, first_, last_),
        outputs_(context.queue, context.queue.rank() / division.stages, stage_number_,
                 context.clock),
        gradients_(context.queue, context.queue.rank() / division.stages, stage_number_,
                   context.clock),
        peers_(context.queue, stage_number_, context.clock) {
    if (!is_first()) input_ = blocks[first_ - 1];
    if (!is_last()) output_ = blocks[last_ - 1];
    model_->keep_blocks(first_, last_);
    optimizer_.emplace(spec_, model_->parameters(), context.make_optimizer({model_->parameters()}),
                       &outputs_.queue());
    if (peers_.queue->size() == 1 || model_->parameters().empty()) return;
    sync_ = base::find(sync_table(), "framework", "ddp")
                .make({.parameters = model_->parameters(),
                       .parameter_names = model_->parameter_names(),
                       .options = spec_.framework_options,
                       .queue = *peers_.queue,
                       .clock = context.clock});
  }

  at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) override {
    micro_size_ = batch.size() / all_micro_batches();
    loss_ = at::zeros({}, options_);
    if (peers_.queue->size() > 1) {
      timer.enter(StepPart::exposed_comm);
      broadcast_buffers(*model_, *peers_.queue);
    }
    const auto actions = pipeline_schedule(division_.schedule, stage_number_, division_.stages,
                                           division_.micro_batches);
    for (int round = 0; round < spec_.accumulation_steps; ++round) {
      for (PipelineAction action : actions) {
        action.micro_batch += round * division_.micro_batches;
        if (action.kind == PipelineAction::forward || in_backward_) take_part(action, batch, timer);
      }
      if (in_backward_) continue;
      // A stage without a backward pass never waits for gradients, so it could accumulate outputs
      // that the next stage has not yet received. The flush limits the number of these outputs.
      timer.enter(StepPart::bubble);
      outputs_.flush(static_cast<std::size_t>(division_.micro_batches));
    }
    timer.enter(StepPart::bubble);
    outputs_.flush();
    gradients_.flush();
    move_transfers(timer);
    timer.enter(StepPart::exposed_comm);
    if (sync_ != nullptr) sync_->after_backward();
    timer.enter(StepPart::optimizer);
    if (sync_ != nullptr) {
      timer.move(StepPart::backward, StepPart::exposed_comm, sync_->exposed_comm_s());
    }
    optimizer_->step(learning_rate);
    for (const at::Tensor& parameter : model_->parameters()) parameter.mutable_grad().reset();
    timer.leave();
    timer.move(StepPart::optimizer, StepPart::bubble, optimizer_->waited_s_since_last_call());
    // Only the last stage of a replica has a loss, and the other stages report 0. The factor makes
    // the mean over all ranks equal to the mean over the replicas.
    return loss_ * division_.stages;
  }

  at::Tensor predict(const at::Tensor& input) override {
    at::Tensor value = input;
    if (!is_first()) {
      value = empty_batch(input.size(0), input_, options_);
      outputs_.receive(value, stage_number_ - 1);
    }
    {
      const auto casts = autocast_.forward_pass();
      value = stage_.predict(value);
    }
    if (!is_last()) {
      outputs_.send(value, stage_number_ + 1);
      outputs_.flush(kPredictionsAhead);
    }
    outputs_.take_exposed_s();  // discards waiting time that does not belong to a training step
    return is_last() ? value : at::Tensor();
  }

  void set_training(bool training) override {
    if (!training && peers_.queue->size() > 1) broadcast_buffers(*model_, *peers_.queue);
    model_->set_training(training);
  }
  void swap_ema_weights() override { optimizer_->swap_ema_weights(); }
  Counts take_counts() override {
    Counts counts;
    optimizer_->add_counts(counts);
    return counts;
  }
  std::vector<NamedTensor> state() override { return gather_state(mine(), everyone_); }
  void load(const std::vector<NamedTensor>& state) override {
    spread_state(state, mine(), everyone_);
  }

 private:
  /// Returns the number of micro-batches in an optimizer step. A step accumulates the gradients of
  /// several batches, and the schedule runs once for each of these batches.
  int all_micro_batches() const { return spec_.accumulation_steps * division_.micro_batches; }
  bool is_first() const { return stage_number_ == 0; }
  bool is_last() const { return stage_number_ + 1 == division_.stages; }

  at::Tensor micro(const at::Tensor& all, int i) const {
    return all.narrow(0, i * micro_size_, micro_size_);
  }

  /// Receives the tensor that `action` needs from a neighbouring stage. Returns an undefined tensor
  /// when `action` needs no tensor.
  at::Tensor fetch(const PipelineAction& action, StepTimer& timer) {
    const bool forwards = action.kind == PipelineAction::forward;
    if (forwards ? is_first() : is_last()) return {};
    timer.enter(StepPart::bubble);
    TensorLink& link = forwards ? outputs_ : gradients_;
    const at::Tensor tensor = empty_batch(micro_size_, forwards ? input_ : output_, options_);
    link.receive(tensor, stage_number_ + (forwards ? -1 : 1));
    move_transfers(timer);
    return tensor;
  }

  /// Ends the active step part. Moves the part of the waiting time during which a tensor was in
  /// transfer from bubble to exposed_comm.
  void move_transfers(StepTimer& timer) {
    timer.leave();
    const double exposed_s = outputs_.take_exposed_s() + gradients_.take_exposed_s();
    timer.move(StepPart::bubble, StepPart::exposed_comm, exposed_s);
  }

  void take_part(const PipelineAction& action, const Batch& batch, StepTimer& timer) {
    const at::Tensor arrived = fetch(action, timer);
    if (action.kind == PipelineAction::forward) {
      timer.enter(StepPart::forward);
      forward(action.micro_batch, arrived, batch);
    } else {
      timer.enter(StepPart::backward);
      backward(action.micro_batch, arrived);
    }
  }

  void forward(int i, at::Tensor input, const Batch& batch) {
    if (is_first()) {
      input = micro(batch.input, i);
    } else {
      input.set_requires_grad(hands_back_);
    }
    const auto casts = autocast_.forward_pass();
    if (!in_backward_) return outputs_.send(stage_.predict(input), stage_number_ + 1);
    if (!is_last()) return outputs_.send(stage_.forward(i, input), stage_number_ + 1);
    loss_.add_(stage_.forward_to_loss(i, input, [&](const at::Tensor& output) {
      return loss_of_(output, micro(batch.target, i)) / all_micro_batches();
    }));
  }

  /// Runs the backward pass of micro-batch `i`. The backward pass of the last micro-batch also
  /// synchronises the gradients between replicas.
  void backward(int i, at::Tensor output_gradient) {
    if (is_last()) output_gradient = optimizer_->loss_gradient(loss_);
    if (sync_ != nullptr) {
      sync_->before_forward(i + 1 == all_micro_batches());
      sync_->before_backward({});
    }
    const at::Tensor input_gradient = stage_.backward(i, output_gradient);
    if (hands_back_) gradients_.send(input_gradient, stage_number_ - 1);
  }

  /// Returns the part of the state that lies on this rank. Only the first replica contributes its
  /// state, because all replicas are equal.
  OwnState mine() {
    OwnState own{.speaks = everyone_.rank() < division_.stages};
    append(own.tensors, "model.", model_->state());
    append(own.tensors, fmt::format("optimizer.stage{}.", stage_number_), optimizer_->state());
    return own;
  }

  const contract::RunSpec spec_;
  const decltype(StyleContext::loss) loss_of_;
  const ModelDivision division_;
  const int stage_number_;
  CollectiveQueue& everyone_;
  Autocast autocast_;
  std::unique_ptr<Model> model_;
  const at::TensorOptions options_;  ///< tensor options of the parameters
  std::size_t first_, last_;         ///< range [first_, last_) of blocks on this rank
  bool in_backward_;                 ///< true when this stage has a backward pass
  bool hands_back_;                  ///< true when the previous stage has a backward pass
  BlockCost input_, output_;         ///< block before this stage, and last block of this stage
  Stage stage_;
  TensorLink outputs_;                  ///< outputs, sent to the next stage of the same replica
  TensorLink gradients_;                ///< gradients of outputs, sent to the previous stage
  RankGroup peers_;                     ///< ranks that hold the same stage
  std::unique_ptr<GradientSync> sync_;  ///< null when no other rank has the parameters of this rank
  std::optional<OptimizerStep> optimizer_;
  std::int64_t micro_size_ = 0;
  at::Tensor loss_;
};

}  // namespace

std::unique_ptr<ParallelStyle> make_model_parallel(StyleContext context,
                                                   const ModelDivision& division) {
  const contract::RunSpec& spec = context.spec;
  if (spec.gpus % division.stages != 0) {
    refuse(fmt::format("{}: {} ranks cannot be divided into models of {} stages each",
                       spec.framework, spec.gpus, division.stages));
  }
  const std::int64_t samples =
      spec.global_batch / (spec.gpus / division.stages * spec.accumulation_steps);
  if (samples % division.micro_batches != 0) {
    refuse(fmt::format(
        "{}: the {} samples of a pass cannot be divided into {} micro-batches of equal size",
        spec.framework, samples, division.micro_batches));
  }
  const Autocast autocast(spec.precision, context.device.torch_device().type());
  const auto blocks = [&] {
    const auto casts = autocast.forward_pass();
    return measure_blocks(*context.model, context.sample);
  }();
  const auto places = places_of(blocks, spec, division.stages);
  return std::make_unique<ModelParallel>(std::move(context), division, blocks, places);
}

DataShare share_of_replica(const contract::RunSpec& spec, int rank, int stages) {
  if (spec.gpus % stages != 0) return {};  // make_model_parallel() rejects this case
  const int stage = rank % stages;
  return {rank / stages, spec.gpus / stages, stage == 0 || stage + 1 == stages, stage};
}

void require_one_replica(const contract::RunSpec& spec) {
  const int size = spec.framework_options.model_parallel_size;
  if (size == 1 || size == spec.gpus) return;
  refuse(
      fmt::format("{}: model_parallel_size is {}, but one model spans all {} ranks; use hybrid "
                  "for several models",
                  spec.framework, size, spec.gpus));
}

// Layer-wise model parallelism: the stages of one model span all ranks and work one at a time.

namespace {

std::unique_ptr<ParallelStyle> make_layerwise(StyleContext context) {
  require_one_replica(context.spec);
  const int stages = context.spec.gpus;
  return make_model_parallel(std::move(context), {.stages = stages});
}

DataShare share_layerwise(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.gpus);
}

}  // namespace

extern const StyleEntry layerwise_entry;
const StyleEntry layerwise_entry{
    .name = "layerwise",
    .summary =
        "one model whose layers are divided among the ranks; the ranks compute one after another",
    .make = make_layerwise,
    .share = share_layerwise};

// Pipeline parallelism: the stages of one model span all ranks and work on different micro-batches
// at the same time.

namespace {

std::unique_ptr<ParallelStyle> make_pipeline(StyleContext context) {
  require_one_replica(context.spec);
  const contract::FrameworkOptions& options = context.spec.framework_options;
  const ModelDivision division{context.spec.gpus, options.micro_batches, options.pipeline_schedule};
  return make_model_parallel(std::move(context), division);
}

DataShare share_pipeline(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.gpus);
}

}  // namespace

extern const StyleEntry pipeline_entry;
const StyleEntry pipeline_entry{
    .name = "pipeline",
    .summary =
        "one model whose layers are divided among the ranks; micro-batches overlap (GPipe, 1F1B)",
    .make = make_pipeline,
    .share = share_pipeline};

// Hybrid of data and model parallelism: each replica spans model_parallel_size ranks.

namespace {

std::unique_ptr<ParallelStyle> make_hybrid(StyleContext context) {
  const contract::FrameworkOptions& options = context.spec.framework_options;
  const ModelDivision division{options.model_parallel_size, options.micro_batches,
                               options.pipeline_schedule};
  return make_model_parallel(std::move(context), division);
}

DataShare share_hybrid(const contract::RunSpec& spec, int rank) {
  return share_of_replica(spec, rank, spec.framework_options.model_parallel_size);
}

}  // namespace

extern const StyleEntry hybrid_entry;
const StyleEntry hybrid_entry{
    .name = "hybrid",
    .summary =
        "replicas of a model whose layers are divided among several ranks; ddp between replicas",
    .make = make_hybrid,
    .share = share_hybrid};

}  // namespace dlscale::trainer
