// SPDX-License-Identifier: Apache-2.0
// ZeRO stage 3: each rank keeps a part of every parameter, and has a block's whole parameters only
// for a while.
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

// The parameters of a block, of which each rank keeps a part and has the whole only for a while.

class BlockShard {
 public:
  /// Takes the parameters over. A block of at most `persistent` elements is never released.
  BlockShard(const std::vector<at::Tensor>& parameters, std::int64_t persistent,
             CollectiveQueue& queue);

  /// This rank's part, a leaf with a gradient; all parts have the same size.
  const at::Tensor& partition() const { return partition_; }
  std::int64_t elements() const { return flat_.vector().numel(); }
  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  std::vector<ParameterPiece> pieces() const { return flat_.pieces(queue_.rank()); }

  /// **Collective.** Asks for the whole, unless it is there or on its way.
  void ask();
  /// Waits for it; returns the seconds in which computation stood still.
  double wait();
  /// Gives the memory of the whole back.
  void release();
  /// **Collective.** The parts have changed: what stays whole is made anew.
  void refresh();
  /// The whole has changed, the part follows.
  void take();

  /// **Collective.** Sends the gradients off, divided by the number of ranks, and drops them; a
  /// parameter without one counts as zeros. What was sent before is finished first, so that one
  /// share is under way whatever the number of micro-batches. Returns as finish_gradients().
  double reduce_gradients();
  /// Waits for what was sent off and adds the part's share to the partition's gradient. Returns the
  /// seconds in which computation stood still.
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

// ZeRO stage 3: each rank keeps a part of every parameter, and has a block's whole parameters only
// while it computes with them.

/// Needs SyncContext::model: parameters are gathered block by block, before forward and again
/// before backward, some blocks ahead (prefetch_elements); gradients are reduce-scattered.
std::unique_ptr<GradientSync> make_parameter_partition(const SyncContext& context);

}  // namespace dlscale::trainer
