// SPDX-License-Identifier: Apache-2.0
// A communicator that records its all-reduces and can delay them.
#pragma once

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

class Recorder : public trainer::Overlay {
 public:
  using Overlay::Overlay;

  /// Returns the bytes of each all-reduce that began since the last call.
  std::vector<std::int64_t> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_reduced_bytes_, {});
  }
  /// Returns the seconds spent in all-reduces that ended since the last call.
  double take_seconds() {
    const std::lock_guard lock(mutex_);
    return std::exchange(all_reduce_s_, 0);
  }
  bool has_begun() const {
    const std::lock_guard lock(mutex_);
    return !all_reduced_bytes_.empty();
  }

  std::chrono::milliseconds all_reduce_takes{0};

 private:
  void do_all_reduce(trainer::Span data, trainer::ReduceOp op) override {
    {
      const std::lock_guard lock(mutex_);
      all_reduced_bytes_.push_back(static_cast<std::int64_t>(data.bytes()));
    }
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(all_reduce_takes);
    Overlay::do_all_reduce(data, op);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const std::lock_guard lock(mutex_);
    all_reduce_s_ += taken.count();
  }

  mutable std::mutex mutex_;
  std::vector<std::int64_t> all_reduced_bytes_;
  double all_reduce_s_ = 0;
};

}  // namespace dlscale::test
