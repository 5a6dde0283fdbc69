// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_parameter_partition.hpp"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/models/model.hpp"
#include "trainer/sync/gradient_hooks.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

/// Changes the size of the storage of a tensor, for example to 0 to free its memory. Autograd may
/// have saved the tensor for the backward pass. The saved tensor uses the same storage object, so
/// the saved tensor is valid again as soon as the storage has its full size again.
void resize_storage(const at::Tensor& tensor, std::size_t bytes) {
  // The allocator allocates on the current device, which must be the device of the tensor.
  const c10::DeviceGuard device(tensor.device());
  c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  if (storage.nbytes() == bytes) return;
  storage.set_data_ptr_noswap(storage.allocator()->allocate(bytes));
  storage.set_nbytes(bytes);
}

}  // namespace

BlockShard::BlockShard(const std::vector<at::Tensor>& parameters, std::int64_t persistent,
                       CollectiveQueue& queue)
    : parameters_(parameters),
      persistent_(persistent),
      queue_(queue),
      flat_(parameters_, queue.size()) {
  shard_parameters();
  partition_.mutable_grad() = at::zeros_like(partition_);
  release();
}

void BlockShard::shard_parameters() {
  const FlatRange mine = flat_.partition(queue_.rank());
  const at::Tensor part = flat_.vector().narrow(0, mine.first, mine.count);
  if (partition_.defined()) {
    const at::NoGradGuard no_gradients;
    partition_.copy_(part);
  } else {
    partition_ = part.detach().clone();
  }
}

void BlockShard::allocate() {
  resize_storage(flat_.vector(), static_cast<std::size_t>(elements()) * flat_.vector().itemsize());
}

void BlockShard::ask() {
  if (is_whole_ || on_its_way_) return;
  allocate();
  on_its_way_ = queue_.all_gather(span_of(partition_), span_of(flat_.vector()),
                                  keeping(partition_, flat_.vector()));
}

double BlockShard::wait() {
  double exposed_s = 0;
  if (on_its_way_) exposed_s = queue_.wait_for(*std::exchange(on_its_way_, nullptr));
  is_whole_ = true;
  return exposed_s;
}

void BlockShard::release() {
  if (is_persistent() || on_its_way_) return;
  resize_storage(flat_.vector(), 0);
  is_whole_ = false;
}

void BlockShard::refresh() {
  if (on_its_way_) wait();
  if (!is_persistent()) return release();
  is_whole_ = false;
  ask();
  wait();
}

double BlockShard::reduce_gradients() {
  const double exposed_s = finish_gradients();
  const at::NoGradGuard no_gradients;
  const at::Tensor all = at::zeros({elements()}, partition_.options().requires_grad(false));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    const FlatRange range = flat_.range(i);
    all.narrow(0, range.first, range.count).copy_(in_memory_order(gradient));
    gradient.reset();
  }
  all.div_(queue_.size());
  const at::Tensor share = at::empty_like(partition_);
  sent_ = Sent{share, queue_.reduce_scatter(span_of(all), span_of(share), ReduceOp::sum,
                                            keeping(all, share))};
  return exposed_s;
}

double BlockShard::finish_gradients() {
  if (!sent_) return 0;
  const at::NoGradGuard no_gradients;
  const Sent sent = *std::exchange(sent_, std::nullopt);
  const double exposed_s = queue_.wait_for(*sent.work);
  partition_.mutable_grad().add_(sent.share);
  return exposed_s;
}

namespace {

class ParameterPartition : public GradientSync, private BlockWatch {
 public:
  explicit ParameterPartition(const SyncContext& context)
      : model_(*context.model),
        prefetch_elements_(context.options.prefetch_elements),
        overlaps_(context.options.overlap_comm != "off") {
    std::vector<std::size_t> block_of(context.parameters.size());
    for (std::size_t b = 0; b < model_.blocks().size(); ++b) {
      std::vector<at::Tensor> own;
      for (const std::size_t i : model_.blocks()[b].parameters) {
        own.push_back(context.parameters[i]);
        block_of[i] = b;
      }
      shards_.push_back(
          own.empty() ? nullptr
                      : std::make_unique<BlockShard>(
                            own, context.options.persistence_threshold_elements, context.queue));
    }
    hooks_ = GradientHooks(context.parameters,
                           [this, block_of](std::size_t i) { gradient_ready(block_of[i]); });
    model_.watch_blocks(this);
  }
  ~ParameterPartition() override { model_.watch_blocks(nullptr); }
  ParameterPartition(const ParameterPartition&) = delete;
  ParameterPartition& operator=(const ParameterPartition&) = delete;

  void before_forward(bool) override {
    if (std::exchange(starts_step_, false)) {
      exposed_s_ = exposed_in_forward_s_ = 0;
      for_shards([](BlockShard& shard) { shard.partition().mutable_grad().zero_(); });
    } else {
      const double before_s = exposed_s_;
      send_from(0);  // sends the gradients left over from the last micro-batch
      exposed_in_forward_s_ += exposed_s_ - before_s;
    }
    ready_.assign(shards_.size(), 0);
    is_sent_.assign(shards_.size(), false);
  }

  void before_backward(const at::Tensor&) override { in_backward_ = true; }

  void after_backward() override {
    send_from(0);
    for_shards([this](BlockShard& shard) { exposed_s_ += shard.finish_gradients(); });
    starts_step_ = true;
    in_backward_ = false;
  }

  Optimized optimized() override {
    Optimized all{.is_shard = true};
    std::size_t parameters = 0;
    for_shards([&](BlockShard& shard) {
      for (ParameterPiece piece : shard.pieces()) {
        piece.tensor = all.tensors.size();
        piece.parameter += parameters;
        all.pieces.push_back(piece);
      }
      parameters += shard.parameters().size();
      all.tensors.push_back(shard.partition());
    });
    return all;
  }
  void after_step() override {
    for_shards([](BlockShard& shard) { shard.refresh(); });
  }
  void gather_parameters() override {
    for_shards([](BlockShard& shard) { shard.ask(); });
    for_shards([](BlockShard& shard) { shard.wait(); });
  }
  void release_parameters(bool changed) override {
    for_shards([changed](BlockShard& shard) {
      if (changed) shard.shard_parameters();
      shard.release();
    });
  }
  double exposed_comm_s() const override { return exposed_s_; }
  double exposed_in_forward_s() const override { return exposed_in_forward_s_; }

 private:
  template <class Do>
  void for_shards(const Do& act) {
    for (const auto& shard : shards_) {
      if (shard) act(*shard);
    }
  }

  void before_block(std::size_t block) override {
    if (block == 0) in_backward_ = false;
    make_whole(block);
  }

  void after_block(std::size_t block, const at::Tensor& output) override {
    if (shards_[block]) shards_[block]->release();
    if (!output.requires_grad()) return;
    output.register_hook([this, block](const at::Tensor&) {
      send_from(block + 1);
      make_whole(block);
    });
  }

  /// Waits until `block` is whole. Also starts to gather the blocks that follow in the direction of
  /// the pass, up to the prefetch limit.
  void make_whole(std::size_t block) {
    if (shards_[block]) shards_[block]->ask();
    std::int64_t ahead = 0;
    const auto step = in_backward_ ? -1 : 1;
    for (auto next = static_cast<std::int64_t>(block) + step;
         next >= 0 && next < static_cast<std::int64_t>(shards_.size()); next += step) {
      BlockShard* const shard = shards_[static_cast<std::size_t>(next)].get();
      if (shard == nullptr) continue;
      ahead += shard->elements();
      if (ahead > prefetch_elements_) break;
      shard->ask();
    }
    if (!shards_[block]) return;
    const double waited_s = shards_[block]->wait();
    exposed_s_ += waited_s;
    if (!in_backward_) exposed_in_forward_s_ += waited_s;
  }

  void gradient_ready(std::size_t block) {
    if (is_sent_[block]) {
      throw base::RunError(
          fmt::format("deepspeed: block {} of the model is used again after other blocks, "
                      "which zero_stage 3 does not support; use another stage",
                      block),
          contract::kExitBadRunDescription);
    }
    if (++ready_[block] == shards_[block]->parameters().size()) send(block);
  }

  void send(std::size_t block) {
    BlockShard& shard = *shards_[block];
    exposed_s_ += shard.reduce_gradients();
    if (!overlaps_) exposed_s_ += shard.finish_gradients();
    shard.release();
    is_sent_[block] = true;
  }

  /// Sends the gradients of all blocks from `first` on that are not sent yet. The backward pass has
  /// already passed these blocks. Such a block contains a parameter on which the loss of this rank
  /// did not depend. The position of the block in the order of sends is the same as on ranks whose
  /// loss did depend on the parameter.
  void send_from(std::size_t first) {
    for (std::size_t b = shards_.size(); b-- > first;) {
      if (shards_[b] && !is_sent_[b]) send(b);
    }
  }

  Model& model_;
  std::int64_t prefetch_elements_;
  bool overlaps_;
  /// Shard of each block. Null for a block without parameters.
  std::vector<std::unique_ptr<BlockShard>> shards_;
  std::vector<bool> is_sent_;       ///< true for blocks sent in this backward pass
  std::vector<std::size_t> ready_;  ///< number of ready gradients of each block
  GradientHooks hooks_;
  bool starts_step_ = true;
  bool in_backward_ = false;
  double exposed_s_ = 0;
  double exposed_in_forward_s_ = 0;
};

}  // namespace

std::unique_ptr<GradientSync> make_parameter_partition(const SyncContext& context) {
  if (context.model == nullptr) {
    throw base::RunError("deepspeed: zero_stage 3 needs a model that consists of blocks",
                         contract::kExitBadRunDescription);
  }
  return std::make_unique<ParameterPartition>(context);
}

}  // namespace dlscale::trainer
