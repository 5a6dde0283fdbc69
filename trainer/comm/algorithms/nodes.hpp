// SPDX-License-Identifier: Apache-2.0
// Which ranks are likely to share memory.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// **Collective.** The lowest of the ranks that run under the same kernel and see the same
/// /dev/shm as this one.
int node_of(Communicator& ranks);

}  // namespace dlscale::trainer
