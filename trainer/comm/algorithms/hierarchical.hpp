// SPDX-License-Identifier: Apache-2.0
// All-reduce algorithms that use memory shared by the ranks of a node.
#pragma once

#include <memory>

#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Detection of ranks that are likely to share memory.

/// **Collective.** Returns the lowest rank that runs under the same kernel and sees the same
/// /dev/shm as this rank.
int node_of(Communicator& ranks);

// All-reduce among ranks that share memory.

/// **Collective.** Makes the shared-memory all-reduce. Returns null on every rank when the ranks do
/// not all share memory.
std::unique_ptr<AllReduce> make_shared_memory(Communicator& ranks);

// All-reduce among ranks on several nodes, where the ranks of a node may share memory.

/// **Collective.** Makes the hierarchical all-reduce. Ranks that pass the same `node` reduce among
/// themselves first.
std::unique_ptr<AllReduce> make_hierarchical(Communicator& ranks, int node);

}  // namespace dlscale::trainer
