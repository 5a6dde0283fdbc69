// SPDX-License-Identifier: Apache-2.0
#include "analysis/for_each_index.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace dlscale::analysis {

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> threads;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, count); ++i) {
    threads.push_back(std::async(std::launch::async, loop));
  }
  loop();
  for (std::future<void>& thread : threads) thread.get();
}

}  // namespace dlscale::analysis
