// SPDX-License-Identifier: Apache-2.0
// The all-reduces that know which ranks share memory.
#pragma once

#include <memory>

#include "trainer/comm/algorithms/all_reduce.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// Which ranks are likely to share memory.

/// **Collective.** The lowest of the ranks that run under the same kernel and see the same
/// /dev/shm as this one.
int node_of(Communicator& ranks);

// The all-reduce of ranks that share memory.

/// **Collective.** Null on every rank when they do not all share memory.
std::unique_ptr<AllReduce> make_shared_memory(Communicator& ranks);

// The all-reduce of ranks on several nodes, of which some share memory.

/// **Collective.** Ranks that give the same `node` reduce among themselves first.
std::unique_ptr<AllReduce> make_hierarchical(Communicator& ranks, int node);

}  // namespace dlscale::trainer
