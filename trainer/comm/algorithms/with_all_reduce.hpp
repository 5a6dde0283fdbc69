// SPDX-License-Identifier: Apache-2.0
// Communicator that uses a selected all-reduce of the table, and the two entries that select an
// algorithm: "tuned" (the choice of the transport) and "auto" (the fastest measured algorithm).
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// **Collective.** Returns `inner` with the all-reduce `name` of all_reduce_table(). Parts split
/// from the result use the same all-reduce.
///
/// - If the algorithm uses shared memory, reduce_scatter, broadcast and short all_gathers use the
///   shared memory as well. All other calls are unchanged.
/// - The counters of the result count all-reduces as such. The calls that an all-reduce consists of
///   count in the counters of `inner`.
/// - Returns `inner` unchanged if `name` is already its all-reduce, for example after
///   MpiSession::choose_all_reduce().
/// - Throws RunError for an unknown name, and when the algorithm cannot work between these ranks.
std::unique_ptr<Communicator> with_all_reduce(std::unique_ptr<Communicator> inner,
                                              const std::string& name);

}  // namespace dlscale::trainer
