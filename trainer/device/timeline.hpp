// SPDX-License-Identifier: Apache-2.0
// When a device has come how far in the work that it was given.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"

namespace dlscale::trainer {

class Timeline {
 public:
  virtual ~Timeline() = default;
  /// Marks the instant at which the device is done with all that it has been given. Does not wait.
  virtual void mark() = 0;
  /// Waits until the device has come to the last mark. Seconds between each mark and the next one;
  /// the last mark is then the first.
  virtual std::vector<double> take() = 0;
};

/// Of a device whose operators return when they are done.
std::unique_ptr<Timeline> make_host_timeline(const base::Clock& clock);

}  // namespace dlscale::trainer
