// SPDX-License-Identifier: Apache-2.0
// A guard that ends a test program whose ranks wait for each other forever.
#pragma once

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>

namespace dlscale::test {

/// Returns the result of `work`. If `progress` does not change for a minute, the function prints
/// `what` and aborts the program, because the ranks cannot be ended from outside.
inline bool watched(const std::function<bool()>& work, const std::atomic<int>& progress,
                    const std::string& what) {
  auto all = std::async(std::launch::async, work);
  for (int last = -1; all.wait_for(std::chrono::seconds(60)) != std::future_status::ready;) {
    if (progress == last) {
      WARN(what << " stands still after " << last);
      std::abort();
    }
    last = progress;
  }
  return all.get();
}

}  // namespace dlscale::test
