// SPDX-License-Identifier: Apache-2.0
// Synchronised batch norms' sums over ranks.
#include "trainer/parallel/rank_statistics.hpp"

#include <utility>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

void RankStatistics::sum(const at::Tensor& values, Pass pass) {
  CollectiveQueue& queue = *ranks_.queue;
  exposed_s(pass) += queue.wait_for(*queue.all_reduce(span_of(values), ReduceOp::sum));
}

double RankStatistics::take_exposed_s(Pass pass) {
  return std::exchange(exposed_s(pass), 0);
}

}  // namespace dlscale::trainer
