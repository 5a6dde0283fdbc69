// SPDX-License-Identifier: Apache-2.0
// Runs loops over independent indices on several cores.
#pragma once

#include <cstddef>
#include <functional>

namespace dlscale::base {

struct LoopLimits {
  std::size_t most_threads = 0;  ///< limit on the threads, at most one per core; 0 = one per core
  std::size_t chunk = 1;         ///< number of indices that a thread takes at a time
};

/// Calls `work(i)` for i from 0 to count - 1 in any order, and returns when all calls have ended.
/// No further chunks start after a failure. Throws the exception of the smallest index that failed,
/// as a plain loop does. Uses fewer threads if the system does not start more.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work,
                  const LoopLimits& limits = {});

/// Calls `work(begin, end)` for each chunk of indices and otherwise works like parallel_for. It
/// suits work that prepares something once for each chunk.
void parallel_for_chunks(std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& work,
                         const LoopLimits& limits);

}  // namespace dlscale::base
