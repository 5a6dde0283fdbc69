// SPDX-License-Identifier: Apache-2.0
// Timeline that measures the times at which a device completes the work submitted to it.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"

namespace dlscale::trainer {

class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Adds a mark, which stands for the time at which the device completes all work submitted so
  /// far. Returns immediately.
  virtual void mark() = 0;
  /// Waits until the device has reached the last mark. Returns the seconds between successive
  /// marks. The next call starts with the interval that follows the last mark.
  virtual std::vector<double> take_intervals() = 0;
};

/// Creates a timeline for a device on which the call of an operator returns only when the operator
/// is done, such as a CPU.
std::unique_ptr<Timeline> make_host_timeline(const base::Clock& clock);

}  // namespace dlscale::trainer
