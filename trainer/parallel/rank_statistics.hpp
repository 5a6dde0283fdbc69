// SPDX-License-Identifier: Apache-2.0
// Synchronised batch norms' sums over ranks.
#pragma once

#include <array>

#include "trainer/models/statistics_sum.hpp"
#include "trainer/parallel/rank_group.hpp"

namespace dlscale::trainer {

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
