// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that run collectives among themselves. Such groups broadcast the running
// statistics of batch norms and sum the statistics of synchronised batch norms.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "base/clock.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/models/batch_norm.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

// Group of ranks with a communicator and a queue of its own.

struct RankGroup {
  /// **Collective** over `all`. Divides the ranks of `all` into groups, and creates the group of
  /// this rank. A group consists of all ranks that pass the same `color`.
  RankGroup(CollectiveQueue& all, int color, const base::Clock& clock) {
    all.run([&](Communicator& ranks) { communicator = ranks.split(color); })->wait();
    queue.emplace(*communicator, clock);
  }
  std::unique_ptr<Communicator> communicator;
  std::optional<CollectiveQueue> queue;
};

// The following function broadcasts the buffers of a model, which hold the running statistics.

/// **Collective.** Copies the buffers of rank 0 to every rank of the queue, in one message.
void broadcast_buffers(const Model& model, CollectiveQueue& queue);

// The following class sums the statistics of synchronised batch norms over ranks.

/// Sums of batch-norm statistics over ranks, with a communicator and a queue that gradients do not
/// use. There are two reasons for the separate queue:
/// - In the queue for gradients, a sum of a few numbers would wait until whole buckets of gradients
///   have been sent, and the forward or backward pass would wait for the sum.
/// - All ranks must submit collectives in the same order. The Horovod style submits gradients in an
///   order that differs between ranks. In the separate queue, collectives follow the order of the
///   model's layers, which is the same on all ranks.
class RankStatistics final : public StatisticsSum {
 public:
  /// **Collective** over `all`. Creates the group of all ranks that pass the same `stage` and
  /// therefore have the same layers.
  RankStatistics(CollectiveQueue& all, int stage, const base::Clock& clock)
      : ranks_(all, stage, clock) {}

  void sum(const at::Tensor& values, Pass pass) override;
  int ranks() const { return ranks_.queue->size(); }
  /// Returns the seconds that passes of the given kind (forward or backward) have waited for sums
  /// since the previous call.
  double take_exposed_s(Pass pass);

 private:
  double& exposed_s(Pass pass) { return exposed_s_[pass == Pass::forward ? 0 : 1]; }

  RankGroup ranks_;
  std::array<double, 2> exposed_s_{};
};

}  // namespace dlscale::trainer
