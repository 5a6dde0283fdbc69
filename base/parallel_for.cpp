// SPDX-License-Identifier: Apache-2.0
#include "base/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace dlscale::base {
namespace {

using ChunkWork = std::function<void(std::size_t, std::size_t)>;

/// Loop whose threads take chunks in ascending order of their indices. When a chunk fails, all
/// chunks with smaller indices have started, and they run to their end. So the loop always throws
/// the same error: the error of the failed chunk with the smallest indices.
class Loop {
 public:
  Loop(std::size_t count, std::size_t chunk, const ChunkWork& work)
      : count_(count), chunk_(chunk), work_(work), first_failed_(count) {}

  void run() {
    for (std::size_t begin; (begin = next_.fetch_add(chunk_)) < count_;) {
      try {
        work_(begin, std::min(begin + chunk_, count_));
      } catch (...) {
        next_ = count_;
        keep_error(begin);
      }
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void keep_error(std::size_t begin) {
    const std::lock_guard lock(mutex_);
    if (begin >= first_failed_) return;
    first_failed_ = begin;
    error_ = std::current_exception();
  }

  const std::size_t count_, chunk_;
  const ChunkWork& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::size_t first_failed_;  ///< first index of the failed chunk with the smallest indices
  std::exception_ptr error_;
};

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work,
                  const LoopLimits& limits) {
  parallel_for_chunks(
      count,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) work(i);
      },
      limits);
}

void parallel_for_chunks(std::size_t count, const ChunkWork& work, const LoopLimits& limits) {
  const std::size_t chunk = std::max<std::size_t>(limits.chunk, 1);
  const std::size_t chunks = (count + chunk - 1) / chunk;
  std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  if (limits.most_threads > 0) most = std::min(most, limits.most_threads);
  Loop loop(count, chunk, work);
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(most, chunks); ++i) {
      try {
        others.emplace_back([&loop] { loop.run(); });
      } catch (const std::system_error&) {  // the user has reached the limit on threads
        break;
      }
    }
    loop.run();
  }
  loop.rethrow();
}

}  // namespace dlscale::base
