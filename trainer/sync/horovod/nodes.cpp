// SPDX-License-Identifier: Apache-2.0
// Counting ranks.
#include "trainer/sync/horovod/nodes.hpp"

#include <algorithm>

#include "trainer/comm/algorithms/nodes.hpp"

namespace dlscale::trainer::horovod {

NodeOfRank find_nodes(Communicator& communicator) {
  int mine = node_of(communicator);
  NodeOfRank all(static_cast<std::size_t>(communicator.size()));
  communicator.all_gather({&mine, 1, ElementType::int32},
                          {all.data(), communicator.size(), ElementType::int32});
  return all;
}

int ranks_beside(const NodeOfRank& node_of_rank, int rank) {
  const int node = node_of_rank[static_cast<std::size_t>(rank)];
  return static_cast<int>(std::count(node_of_rank.begin(), node_of_rank.end(), node));
}

int local_rank(const NodeOfRank& node_of_rank, int rank) {
  const auto mine = node_of_rank.begin() + rank;
  return static_cast<int>(std::count(node_of_rank.begin(), mine, *mine));
}

bool is_homogeneous(const NodeOfRank& node_of_rank) {
  const int first = ranks_beside(node_of_rank, 0);
  for (int rank = 1; rank < static_cast<int>(node_of_rank.size()); ++rank) {
    if (ranks_beside(node_of_rank, rank) != first) return false;
  }
  return true;
}

}  // namespace dlscale::trainer::horovod
