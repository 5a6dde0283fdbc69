// SPDX-License-Identifier: Apache-2.0
// Work that falls into independent parts, on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace dlscale::analysis {

/// Runs `work` for 0 to count - 1 on as many threads as there are cores, in any order; returns when
/// all have ended. Rethrows what one of them throws, after which no more begin.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace dlscale::analysis
