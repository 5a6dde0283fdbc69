// SPDX-License-Identifier: Apache-2.0
// The all-reduce of ranks that share memory.
#pragma once

#include <memory>

#include "trainer/comm/algorithms/all_reduce.hpp"

namespace dlscale::trainer {

/// **Collective.** Null on every rank when they do not all share memory.
std::unique_ptr<AllReduce> make_shared_memory(Communicator& ranks);

}  // namespace dlscale::trainer
