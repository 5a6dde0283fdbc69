// SPDX-License-Identifier: Apache-2.0
// Doing what a response says to the tensors of this rank.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/fusion.hpp"
#include "trainer/sync/horovod/messages.hpp"
#include "trainer/sync/horovod/timeline.hpp"

namespace dlscale::trainer::horovod {

// Multiplying elements by a number; 16-bit floats are multiplied in float32 and rounded.

bool is_floating(ElementType type);

/// to = factor * from, element by element; `from` has to.count elements of to.type and may be
/// to.data. Floating types only.
void scale(const void* from, const Span& to, double factor);

// Which ranks are on the same node.

/// A number for each rank: ranks on one node have the same.
using NodeOfRank = std::vector<int>;

/// **Collective.** Returns the node of each rank.
NodeOfRank find_nodes(Communicator& communicator);

/// Ranks on the node of rank `rank`.
int ranks_beside(const NodeOfRank& node_of_rank, int rank);
/// Ranks before `rank` on its node.
int local_rank(const NodeOfRank& node_of_rank, int rank);
/// Every node has as many ranks as every other.
bool is_homogeneous(const NodeOfRank& node_of_rank);

// An all-reduce in three steps, so that each node's network carries every element once.

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

/// One tensor is summed where it lies. Several are copied into a buffer, summed as one and copied
/// back. The sum is then multiplied by 1/N: after it, where PyTorch's DDP divides before.
class Reduction {
 public:
  /// `hierarchical` and `timeline` may be null. What it is given must outlive it.
  Reduction(Communicator& communicator, HierarchicalSum* hierarchical, Timeline* timeline,
            std::unique_ptr<FusionBuffer> fusion)
      : communicator_(communicator),
        hierarchical_(hierarchical),
        timeline_(timeline),
        fusion_(std::move(fusion)) {}

  /// **Collective.** `tensors` are those `response` names, in its order.
  void run(const Response& response, const std::vector<Span>& tensors);

 private:
  void sum(const std::vector<std::string>& names, Span data);
  void begin(const std::vector<std::string>& names, const char* activity);
  void end(const std::vector<std::string>& names);

  Communicator& communicator_;
  HierarchicalSum* hierarchical_;
  Timeline* timeline_;
  std::unique_ptr<FusionBuffer> fusion_;
};

}  // namespace dlscale::trainer::horovod
