// SPDX-License-Identifier: Apache-2.0
// Communicator with a selected all-reduce algorithm. Two entries of the table are defined here as
// well: "tuned" uses the all-reduce of the transport, and "auto" selects the algorithm that was
// fastest in measurements.
#pragma once

#include <memory>
#include <string>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// **Collective.** Returns `inner` with the all-reduce `name` of all_reduce_table(). Communicators
/// that are split from the result use the same all-reduce.
///
/// - If the algorithm uses shared memory, reduce_scatter, broadcast and short all_gathers use the
///   shared memory as well. All other calls are unchanged.
/// - The result counts each all-reduce as one call. The calls that an algorithm makes within an
///   all-reduce count in the counters of `inner`.
/// - Returns `inner` unchanged if `inner` already uses the all-reduce `name`, for example after
///   MpiSession::choose_all_reduce().
/// - Throws RunError for an unknown name, and when the algorithm cannot connect these ranks.
std::unique_ptr<Communicator> with_all_reduce(std::unique_ptr<Communicator> inner,
                                              const std::string& name);

}  // namespace dlscale::trainer
