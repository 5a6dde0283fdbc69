// SPDX-License-Identifier: Apache-2.0
// Work that a device learns once and does again at one call.
#pragma once

#include <functional>
#include <memory>

namespace dlscale::trainer {

class WorkGraph {
 public:
  virtual ~WorkGraph() = default;
  /// Gives the device, in the order of all that it is given, what was recorded: on the same memory
  /// and with the same numbers.
  virtual void replay() = 0;
};

/// Sees what is given to the device. What recorded work does on the host is not done again.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  /// Does `work` where it will be recorded, for libraries to set themselves up.
  virtual void rehearse(const std::function<void()>& work) = 0;
  /// Learns `work`, which is not done by that. Graphs of one recorder share memory: they are to be
  /// replayed in the order in which they were recorded. Throws base::RunError when `work` waits for
  /// the device or reads from it, and what `work` throws.
  virtual std::unique_ptr<WorkGraph> record(const std::function<void()>& work) = 0;
};

}  // namespace dlscale::trainer
