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

// Parameters of a block. Each rank stores a part and has the whole block only for a short time.

class BlockShard {
 public:
  /// Takes over the parameters. A block of at most `persistent` elements is never released.
  BlockShard(const std::vector<at::Tensor>& parameters, std::int64_t persistent,
             CollectiveQueue& queue);

  /// Returns the part of this rank, a leaf tensor with a gradient. All parts have the same size.
  const at::Tensor& partition() const { return partition_; }
  std::int64_t elements() const { return flat_.vector().numel(); }
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  std::vector<ParameterPiece> pieces() const { return flat_.pieces(queue_.rank()); }

  /// **Collective.** Requests the whole block, unless the block is whole or already requested.
  void ask();
  /// Waits for the whole block. Returns the seconds in which computation waited.
  double wait();
  /// Frees the memory of the whole block.
  void release();
  /// **Collective.** Gathers a persistent block again after the parts have changed. Releases other
  /// blocks.
  void refresh();
  /// Updates the part after the whole block has changed.
  void shard_parameters();

  /// **Collective.** Starts the reduction of the gradients, divided by the number of ranks, and
  /// drops the gradients. A parameter without a gradient counts as zeros. An earlier reduction is
  /// finished first, so that only one share is in transfer for any number of micro-batches. Returns
  /// the result of finish_gradients() for the earlier reduction.
  double reduce_gradients();
  /// Waits for the started reduction and adds its share to the gradient of the part. Returns the
  /// seconds in which computation waited.
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

// ZeRO stage 3, in which a block is whole only while it computes.

/// Makes ZeRO stage 3. Requires SyncContext::model. Parameters are gathered block by block before
/// forward and again before backward, some blocks in advance (prefetch_elements). Gradients are
/// reduce-scattered.
std::unique_ptr<GradientSync> make_parameter_partition(const SyncContext& context);

}  // namespace dlscale::trainer
