// SPDX-License-Identifier: Apache-2.0
#include "base/clock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

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

std::string clock_time(double seconds) {
  const auto total = std::llround(seconds);
  return fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60);
}

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace dlscale::base
