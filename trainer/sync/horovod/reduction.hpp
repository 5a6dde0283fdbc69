// SPDX-License-Identifier: Apache-2.0
// Reduction of the tensors that a response of the coordinator names.
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

// The following functions multiply elements by a number. 16-bit floats are multiplied in float32
// and rounded.

bool is_floating(ElementType type);

/// Computes to = factor * from, element by element. `from` points to to.count elements of type
/// to.type. `from` may be equal to to.data. to.type must be a floating-point type.
void scale(const void* from, const Span& to, double factor);

// The following functions detect which ranks are on the same node.

/// Node number of each rank. Ranks on the same node have the same number.
using NodeOfRank = std::vector<int>;

/// **Collective.** Detects which ranks are on the same node. Returns the node number of each rank.
NodeOfRank find_nodes(Communicator& communicator);

/// Returns the number of ranks on the node of rank `rank`, including rank `rank` itself.
int ranks_beside(const NodeOfRank& node_of_rank, int rank);
/// Returns the local rank of `rank`: the number of lower ranks on the same node.
int local_rank(const NodeOfRank& node_of_rank, int rank);
/// Returns true if all nodes have the same number of ranks.
bool is_homogeneous(const NodeOfRank& node_of_rank);

// The following class implements an all-reduce in three steps. Each rank of a node takes part in
// the network transfer with a different part of the data. Each element is therefore sent over the
// network only once per node.

/// Sum over all ranks in three steps:
///
/// - a reduce-scatter within each node,
/// - an all-reduce between the ranks of different nodes that hold the same part of the data,
/// - an all-gather within each node.
///
/// The number of elements may not be divisible by the number of ranks of a node. For the remaining
/// elements, the first rank of each node collects the sum of its node, the first ranks run an
/// all-reduce, and each first rank broadcasts the result. If nodes differ in their number of ranks,
/// all elements are summed in this way.
class HierarchicalSum {
 public:
  /// **Collective.** Splits `communicator`, which must outlive this object.
  HierarchicalSum(Communicator& communicator, const NodeOfRank& node_of_rank);
  /// **Collective.** Replaces `data` with the sum over all ranks.
  void run(Span data);

 private:
  void sum_in_parts(Span data);
  void sum_at_first_ranks(Span data);

  bool is_homogeneous_;
  std::unique_ptr<Communicator> node_;    ///< ranks of this node
  std::unique_ptr<Communicator> across_;  ///< ranks with the same local rank on every node
  std::vector<std::max_align_t> part_;
};

/// Reduction of tensors to their mean over the N ranks. A single tensor is summed in place. Several
/// tensors are copied to a buffer, summed together and copied back. The sum is multiplied by 1/N.
/// PyTorch's DDP instead divides the gradients before the sum.
class Reduction {
 public:
  /// Prepares reductions. `hierarchical` is null if communicator.all_reduce() computes the sums.
  /// `timeline` is null if no trace is written. All arguments except `fusion` must outlive this
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
