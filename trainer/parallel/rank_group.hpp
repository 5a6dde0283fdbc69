// SPDX-License-Identifier: Apache-2.0
// Some of a run's ranks with collectives of their own, and what is agreed among them beside
// gradients: running statistics and batch norms' sums.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/models/batch_norm.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

// Some of a run's ranks, with collectives of their own.

struct RankGroup {
  /// **Collective** over `all`: the ranks that give the same color.
  RankGroup(CollectiveQueue& all, int color, const base::Clock& clock) {
    all.run([&](Communicator& ranks) { communicator = ranks.split(color); })->wait();
    queue.emplace(*communicator, clock);
  }
  std::unique_ptr<Communicator> communicator;
  std::optional<CollectiveQueue> queue;
};

// What a model keeps beside parameters (running statistics), brought to other ranks.

/// **Collective.** Every rank gets the buffers that the first one has, all in one message.
void broadcast_buffers(const Model& model, CollectiveQueue& queue);

// Synchronised batch norms' sums over ranks.

/// With a communicator and a queue of its own. In the queue of gradients a sum of a few numbers,
/// for which backward stands still, would wait behind whole buckets; and horovod's gradients come
/// in an order that differs from rank to rank. Here the order is that of the model's layers, which
/// is the same on all ranks whatever happens elsewhere.
class RankStatistics final : public StatisticsSum {
 public:
  /// **Collective** over `all`: ranks with the same `stage` have the same layers.
  RankStatistics(CollectiveQueue& all, int stage, const base::Clock& clock)
      : ranks_(all, stage, clock) {}

  void sum(const at::Tensor& values, Pass pass) override;
  int ranks() const { return ranks_.queue->size(); }
  /// Seconds of waiting in such passes since it was last asked.
  double take_exposed_s(Pass pass);

 private:
  double& exposed_s(Pass pass) { return exposed_s_[pass == Pass::forward ? 0 : 1]; }

  RankGroup ranks_;
  std::array<double, 2> exposed_s_{};
};

}  // namespace dlscale::trainer
