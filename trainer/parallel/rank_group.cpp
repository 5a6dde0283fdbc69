// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/rank_group.hpp"

#include <torch/types.h>

#include <utility>
#include <vector>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {

void broadcast_buffers(const Model& model, CollectiveQueue& queue) {
  const at::NoGradGuard no_gradients;
  std::vector<at::Tensor> bytes;
  for (const at::Tensor& buffer : model.buffers()) {
    bytes.push_back(buffer.view({-1}).view(at::kByte));
  }
  if (bytes.empty()) return;
  const at::Tensor together = at::cat(bytes);
  queue.broadcast(span_of(together), 0)->wait();
  if (queue.rank() == 0) return;
  std::int64_t first = 0;
  for (const at::Tensor& each : bytes) {
    each.copy_(together.narrow(0, first, each.numel()));
    first += each.numel();
  }
}

void RankStatistics::sum(const at::Tensor& values, Pass pass) {
  CollectiveQueue& queue = *ranks_.queue;
  exposed_s(pass) += queue.wait_for(*queue.all_reduce(span_of(values), ReduceOp::sum));
}

double RankStatistics::take_exposed_s(Pass pass) {
  return std::exchange(exposed_s(pass), 0);
}

}  // namespace dlscale::trainer
