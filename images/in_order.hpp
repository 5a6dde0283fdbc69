// SPDX-License-Identifier: Apache-2.0
// Makes numbered items on several threads and returns them in order to one thread.
#pragma once

#include <fmt/format.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::images {

/// Producer of the items with the numbers 0 to count - 1. Each thread calls its own maker, a
/// function that `make_maker` returns. At most a few finished items for each thread wait for
/// next(). If a maker throws, next() rethrows the exception when it reaches the maker's item. The
/// caller therefore always gets the same exception, independent of the timing of the threads.
template <class Item>
class InOrder {
 public:
  using Maker = std::function<Item(std::int64_t)>;

  /// Starts the threads. Throws base::RunError (contract::kExitData) if the system cannot start any
  /// thread.
  InOrder(std::int64_t count, int threads, const std::function<Maker()>& make_maker)
      : count_(count), places_(static_cast<std::size_t>(threads) * kWaitingPerThread) {
    // All makers are created and memory is reserved before the first thread starts, because an
    // exception after that would leave threads running.
    std::vector<Maker> makers;
    for (int i = 0; i < threads; ++i) makers.push_back(make_maker());
    threads_.reserve(makers.size());
    try {
      for (Maker& maker : makers) {
        threads_.emplace_back([this, maker = std::move(maker)] { work(maker); });
      }
    } catch (const std::system_error& refused) {
      if (threads_.empty()) fail_without_threads(refused);
      // The system cannot start more threads. The running threads make all items.
    }
  }
  /// Waits for the threads to end. Items that no thread has started are not made.
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      count_ = 0;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

  /// Returns the next item in order. May be called `count` times.
  Item next() {
    std::unique_lock lock(mutex_);
    Slot& place = places_[static_cast<std::size_t>(taken_) % places_.size()];
    changed_.wait(lock, [&] { return place.item || place.error; });
    Slot result = std::exchange(place, {});
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    if (result.error) std::rethrow_exception(result.error);
    return std::move(*result.item);
  }

 private:
  static constexpr std::size_t kWaitingPerThread = 4;

  [[noreturn]] static void fail_without_threads(const std::system_error& refused) {
    throw base::RunError(fmt::format("cannot start a thread: {}; end other programs or raise "
                                     "the limit of user processes (ulimit -u)",
                                     refused.code().message()),
                         contract::kExitData);
  }

  struct Slot {
    std::optional<Item> item;
    std::exception_ptr error;
  };

  void work(const Maker& maker) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto most = static_cast<std::int64_t>(places_.size());
      changed_.wait(lock, [&] { return begun_ >= count_ || begun_ < taken_ + most; });
      if (begun_ >= count_) return;
      const std::int64_t number = begun_++;
      lock.unlock();
      Slot made;
      try {
        made.item.emplace(maker(number));
      } catch (...) {
        made.error = std::current_exception();
      }
      lock.lock();
      places_[static_cast<std::size_t>(number % most)] = std::move(made);
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_;
  std::int64_t begun_ = 0;
  std::int64_t taken_ = 0;
  std::vector<Slot> places_;  ///< ring buffer; item i is at index i modulo the size of the buffer
  std::vector<std::thread> threads_;
};

}  // namespace dlscale::images
