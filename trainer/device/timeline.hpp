// SPDX-License-Identifier: Apache-2.0
// Timeline that measures when a device completes submitted work.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"

namespace dlscale::trainer {

class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Marks the instant at which the device completes all work submitted so far. Returns without
  /// waiting.
  virtual void mark() = 0;
  /// Waits until the device has reached the last mark. Returns the seconds between successive
  /// marks. The last mark becomes the first mark of the next call.
  virtual std::vector<double> take_intervals() = 0;
};

/// Creates a timeline for a device whose operators return when they are done.
std::unique_ptr<Timeline> make_host_timeline(const base::Clock& clock);

}  // namespace dlscale::trainer
