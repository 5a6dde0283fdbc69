// SPDX-License-Identifier: Apache-2.0
// ZeRO stage 3, in which each rank stores only a part of every parameter.
//
// Problem: in stages 1 and 2, every rank still stores all parameters.
// Idea: the parameters of a block are gathered shortly before the block needs them and released
// afterwards.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/zero_gradient_buckets.hpp"

namespace dlscale::trainer {

// Parameters of one block of the model. Each rank stores a part of the block. A rank has the whole
// block only while the block computes.

class BlockShard {
 public:
  /// Partitions `parameters` over the ranks. A block of at most `persistent` elements stays whole
  /// on every rank.
  BlockShard(const std::vector<at::Tensor>& parameters, std::int64_t persistent,
             CollectiveQueue& queue);

  /// Returns the part of the block that this rank stores, as a leaf tensor with a gradient. The
  /// parts of all ranks have the same size.
  const at::Tensor& partition() const { return partition_; }
  std::int64_t elements() const { return flat_.vector().numel(); }
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  std::vector<ParameterPiece> pieces() const { return flat_.pieces(queue_.rank()); }

  /// **Collective.** Starts to gather the block from all ranks, unless the block is already whole
  /// or being gathered.
  void ask();
  /// Waits until the block is whole. Returns the seconds for which computation had to wait.
  double wait();
  /// Frees the memory of the whole block.
  void release();
  /// **Collective.** Updates the block after the ranks have changed their parts. A block that stays
  /// whole on every rank is gathered again. Any other block is released.
  void refresh();
  /// Copies the values of the whole block to the part of this rank, after the whole block has
  /// changed.
  void shard_parameters();

  /// **Collective.** Starts a reduce-scatter of the gradients, divided by the number of ranks, and
  /// drops the gradients. A parameter without a gradient counts as zeros. An earlier reduction is
  /// finished first. A block therefore never has more than one reduction in progress, for any
  /// number of micro-batches. Returns the result of finish_gradients() for the earlier reduction.
  double reduce_gradients();
  /// Waits for the started reduction and adds its result to the gradient of partition(). Returns
  /// the seconds for which computation had to wait.
  double finish_gradients();

 private:
  bool is_persistent() const { return elements() <= persistent_; }
  void allocate();

  std::vector<at::Tensor> parameters_;
  std::int64_t persistent_;
  CollectiveQueue& queue_;
  FlatParameters flat_;
  at::Tensor partition_;
  bool is_whole_ = true;
  std::shared_ptr<Work> on_its_way_;
  struct Sent {
    at::Tensor share;
    std::shared_ptr<Work> work;
  };
  std::optional<Sent> sent_;
};

// ZeRO stage 3, in which a block of the model is whole only while the block computes.

/// Makes ZeRO stage 3. Requires SyncContext::model. The parameters of a block are gathered before
/// the forward pass of the block and again before its backward pass. Some blocks are gathered
/// before they are needed, up to the limit prefetch_elements. Gradients are reduce-scattered.
std::unique_ptr<GradientSync> make_parameter_partition(const SyncContext& context);

}  // namespace dlscale::trainer
