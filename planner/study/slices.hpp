// SPDX-License-Identifier: Apache-2.0
// Work on many small things, side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace dlscale::planner {

/// Calls `work(begin, end)` for slices of 0 … count, side by side where there are many. Throws what
/// the first slice that failed has thrown.
template <class Work>
void in_slices(std::size_t count, const Work& work) {
  constexpr std::size_t kMostThreads = 4;  // login nodes are shared
  constexpr std::size_t kLeast = 256;      // of a slice
  const std::size_t most =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
  const std::size_t slices = std::clamp<std::size_t>(count / kLeast, 1, most);
  if (slices == 1) return work(0, count);
  std::vector<std::future<void>> parts;
  for (std::size_t i = 0; i < slices; ++i) {
    parts.push_back(std::async(std::launch::async, std::cref(work), count * i / slices,
                               count * (i + 1) / slices));
  }
  for (std::future<void>& part : parts) part.get();
}

}  // namespace dlscale::planner
