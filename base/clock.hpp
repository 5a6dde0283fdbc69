// SPDX-License-Identifier: Apache-2.0
// Time as a parameter, so that tests decide what time it is; durations as people read them.
#pragma once

#include <string>

namespace dlscale::base {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since 1970-01-01 UTC: for records that people and other machines read.
  virtual double unix_s() const = 0;
  /// Seconds from an arbitrary start, never going back: for durations.
  virtual double steady_s() const = 0;
};

class SystemClock : public Clock {
 public:
  double unix_s() const override;
  double steady_s() const override;
};

/// "1:30:00", to the nearest second; hours are not carried into days.
std::string clock_time(double seconds);

/// "4.2 s", "1:05", "2:03:59".
std::string duration(double seconds);

}  // namespace dlscale::base
