// SPDX-License-Identifier: Apache-2.0
// An all-reduce in three steps, so that each node's network carries every element once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/nodes.hpp"

namespace dlscale::trainer::horovod {

/// Reduce-scatter within each node, all-reduce between the ranks that have the same part,
/// all-gather within each node. What does not divide among a node's ranks, and everything where
/// nodes differ in their number of ranks, goes through the first rank of each node.
class HierarchicalSum {
 public:
  /// **Collective.** `communicator` must outlive it.
  HierarchicalSum(Communicator& communicator, const NodeOfRank& node_of_rank);
  /// **Collective.** On return `data` holds the sum over all ranks.
  void run(Span data);

 private:
  void sum_in_parts(Span data);
  void sum_at_first_ranks(Span data);

  bool is_homogeneous_;
  std::unique_ptr<Communicator> node_;    ///< the ranks of this node
  std::unique_ptr<Communicator> across_;  ///< those with this rank's place on every node
  std::vector<std::max_align_t> part_;
};

}  // namespace dlscale::trainer::horovod
