// SPDX-License-Identifier: Apache-2.0
// Which ranks are on the same node.
#pragma once

#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer::horovod {

/// A number for each rank: ranks on one node have the same.
using NodeOfRank = std::vector<int>;

/// **Collective.** By comm/algorithms/nodes.hpp.
NodeOfRank find_nodes(Communicator& communicator);

/// Ranks on the node of rank `rank`.
int ranks_beside(const NodeOfRank& node_of_rank, int rank);
/// Ranks before `rank` on its node.
int local_rank(const NodeOfRank& node_of_rank, int rank);
/// Every node has as many ranks as every other.
bool is_homogeneous(const NodeOfRank& node_of_rank);

}  // namespace dlscale::trainer::horovod
