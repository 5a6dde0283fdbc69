// SPDX-License-Identifier: Apache-2.0
// Loops over independent indices, on several cores.
#pragma once

#include <cstddef>
#include <functional>

namespace dlscale::base {

struct LoopLimits {
  std::size_t most_threads = 0;  ///< never more than there are cores; 0: as many
  std::size_t chunk = 1;         ///< indices that a thread takes at a time
};

/// Calls `work(i)` for 0 to count - 1 in any order, and returns when all calls have ended. Throws
/// what the first index that failed has thrown, as a plain loop would; after a failure no more
/// chunks begin. Runs on fewer threads where the system refuses to start more.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work,
                  const LoopLimits& limits = {});

/// Likewise calls `work(begin, end)` for whole chunks, for work that prepares something first.
void parallel_for_chunks(std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& work,
                         const LoopLimits& limits);

}  // namespace dlscale::base
