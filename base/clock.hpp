// SPDX-License-Identifier: Apache-2.0
// Defines clocks that functions take as parameters, so that tests control the time. Also formats
// durations.
#pragma once

#include <string>

namespace dlscale::base {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Returns seconds since 1970-01-01 UTC, for records that people and other machines read.
  virtual double unix_s() const = 0;
  /// Returns seconds since an arbitrary start, for durations. The value never decreases.
  virtual double steady_s() const = 0;
};

class SystemClock : public Clock {
 public:
  double unix_s() const override;
  double steady_s() const override;
};

/// Formats a time as "1:30:00", to the nearest second. A time above 24 hours is not divided into
/// days.
std::string clock_time(double seconds);

/// Formats a duration as "4.2 s", "1:05" or "2:03:59", depending on its length.
std::string duration(double seconds);

}  // namespace dlscale::base
