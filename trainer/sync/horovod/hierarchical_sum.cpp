// SPDX-License-Identifier: Apache-2.0
// Within nodes and across them.
#include "trainer/sync/horovod/hierarchical_sum.hpp"

namespace dlscale::trainer::horovod {

HierarchicalSum::HierarchicalSum(Communicator& communicator, const NodeOfRank& node_of_rank)
    : is_homogeneous_(is_homogeneous(node_of_rank)),
      node_(communicator.split(node_of_rank[static_cast<std::size_t>(communicator.rank())])),
      across_(communicator.split(local_rank(node_of_rank, communicator.rank()))) {}

void HierarchicalSum::run(Span data) {
  const std::int64_t ranks = node_->size();
  const std::int64_t divisible = is_homogeneous_ ? data.count / ranks * ranks : 0;
  if (divisible > 0) sum_in_parts(data.part(0, divisible));
  if (divisible < data.count) sum_at_first_ranks(data.part(divisible, data.count - divisible));
}

void HierarchicalSum::sum_in_parts(Span data) {
  Span part{nullptr, data.count / node_->size(), data.type};
  if (part_.size() * sizeof(part_[0]) < part.bytes()) {
    part_.resize(part.bytes() / sizeof(part_[0]) + 1);
  }
  part.data = part_.data();
  node_->reduce_scatter(data, part, ReduceOp::sum);
  across_->all_reduce(part, ReduceOp::sum);
  node_->all_gather(part, data);
}

void HierarchicalSum::sum_at_first_ranks(Span data) {
  node_->reduce(data, ReduceOp::sum, 0);
  if (node_->rank() == 0) across_->all_reduce(data, ReduceOp::sum);
  node_->broadcast(data, 0);
}

}  // namespace dlscale::trainer::horovod
