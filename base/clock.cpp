// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <chrono>

namespace dlscale::base {
namespace {

template <class ClockType>
double seconds() {
  return std::chrono::duration<double>(ClockType::now().time_since_epoch()).count();
}

}  // namespace

double SystemClock::unix_s() const {
  return seconds<std::chrono::system_clock>();
}
double SystemClock::steady_s() const {
  return seconds<std::chrono::steady_clock>();
}

}  // namespace dlscale::base
