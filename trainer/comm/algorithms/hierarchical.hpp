// SPDX-License-Identifier: Apache-2.0
// The all-reduce of ranks on several nodes, of which some share memory.
#pragma once

#include <memory>

#include "trainer/comm/algorithms/all_reduce.hpp"

namespace dlscale::trainer {

/// **Collective.** Ranks that give the same `node` reduce among themselves first.
std::unique_ptr<AllReduce> make_hierarchical(Communicator& ranks, int node);

}  // namespace dlscale::trainer
