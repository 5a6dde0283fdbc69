// SPDX-License-Identifier: Apache-2.0
// A communicator whose all-reduce is one of the table; and the two that choose: the transport's own
// and the fastest measured.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

// A communicator whose all-reduce is one of the table.

/// **Collective.** `inner` with the all-reduce of this name, a name of all_reduce_table(); so do
/// the parts split from it. Ranks that share memory through it use it for reduce_scatter, broadcast
/// and short all_gathers too; everything else is as it was. Its counters count all-reduces as
/// such; what they are made of counts in `inner`'s. `inner` itself where that is its all-reduce
/// already, as after MpiSession::choose_all_reduce(). Throws RunError for an unknown name and where
/// the algorithm cannot work between these ranks.
std::unique_ptr<Communicator> with_all_reduce(std::unique_ptr<Communicator> inner,
                                              const std::string& name);

}  // namespace dlscale::trainer
