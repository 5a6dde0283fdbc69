// SPDX-License-Identifier: Apache-2.0
// A clock that returns the time that a test sets.
#pragma once

#include "base/clock.hpp"

namespace dlscale::test {

class FakeClock : public base::Clock {
 public:
  double unix_s() const override { return 1.7e9 + now_s; }
  double steady_s() const override { return now_s; }
  double now_s = 0;
};

}  // namespace dlscale::test
