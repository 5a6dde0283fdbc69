// SPDX-License-Identifier: Apache-2.0
#include "analysis/for_each_index.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace dlscale::analysis {

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;  // the others begin nothing more
      throw;
    }
  };
  std::vector<std::future<void>> threads;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, count); ++i) {
    try {
      threads.push_back(std::async(std::launch::async, loop));
    } catch (const std::system_error&) {  // the user may have no more threads
      break;
    }
  }
  loop();
  for (std::future<void>& thread : threads) thread.get();
}

}  // namespace dlscale::analysis
