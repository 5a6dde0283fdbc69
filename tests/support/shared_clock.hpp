// SPDX-License-Identifier: Apache-2.0
// A thread-safe clock that returns the time that a test sets.
#pragma once

#include <atomic>

#include "base/clock.hpp"

namespace dlscale::test {

class SharedClock : public base::Clock {
 public:
  double unix_s() const override { return now_s; }
  double steady_s() const override { return now_s; }
  mutable std::atomic<double> now_s{0};
};

}  // namespace dlscale::test
