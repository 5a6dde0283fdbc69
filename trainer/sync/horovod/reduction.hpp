// SPDX-License-Identifier: Apache-2.0
// Execution of a response on the tensors of this rank.
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

// Multiplication of elements by a number. 16-bit floats are multiplied in float32 and rounded.

bool is_floating(ElementType type);

/// Computes to = factor * from, element by element. `from` has to.count elements of to.type and may
/// be to.data. Floating types only.
void scale(const void* from, const Span& to, double factor);

// Detection of ranks on the same node.

/// Node number of each rank. Ranks on the same node have the same number.
using NodeOfRank = std::vector<int>;

/// **Collective.** Returns the node of each rank.
NodeOfRank find_nodes(Communicator& communicator);

/// Returns the number of ranks on the node of rank `rank`.
int ranks_beside(const NodeOfRank& node_of_rank, int rank);
/// Returns the number of ranks before `rank` on its node.
int local_rank(const NodeOfRank& node_of_rank, int rank);
/// Returns true if all nodes have the same number of ranks.
bool is_homogeneous(const NodeOfRank& node_of_rank);

// All-reduce in three steps, in which the network of each node carries every element once.

/// Sum that runs a reduce-scatter within each node, an all-reduce between the ranks with the same
/// part, and an all-gather within each node. The first rank of each node sums the elements that
/// cannot be divided among the ranks of a node. If nodes differ in their number of ranks, the first
/// ranks sum all elements.
class HierarchicalSum {
 public:
  /// **Collective.** Splits `communicator`, which must outlive the sum.
  HierarchicalSum(Communicator& communicator, const NodeOfRank& node_of_rank);
  /// **Collective.** Replaces `data` by the sum over all ranks.
  void run(Span data);

 private:
  void sum_in_parts(Span data);
  void sum_at_first_ranks(Span data);

  bool is_homogeneous_;
  std::unique_ptr<Communicator> node_;    ///< ranks of this node
  std::unique_ptr<Communicator> across_;  ///< ranks with the same local rank on every node
  std::vector<std::max_align_t> part_;
};

/// Reduction of the tensors of a response to their mean. A single tensor is summed in place.
/// Several tensors are copied to a buffer, summed together and copied back. The sum is then
/// multiplied by 1/N. PyTorch's DDP divides before the sum instead.
class Reduction {
 public:
  /// Prepares reductions. `hierarchical` and `timeline` may be null. All arguments must outlive the
  /// object.
  Reduction(Communicator& communicator, HierarchicalSum* hierarchical, Timeline* timeline,
            std::unique_ptr<FusionBuffer> fusion)
      : communicator_(communicator),
        hierarchical_(hierarchical),
        timeline_(timeline),
        fusion_(std::move(fusion)) {}

  /// **Collective.** Reduces `tensors`, which must be the tensors named in `response`, in the same
  /// order.
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
