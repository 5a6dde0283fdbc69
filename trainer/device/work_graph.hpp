// SPDX-License-Identifier: Apache-2.0
// Work that a device records once and replays with a single call.
#pragma once

#include <functional>
#include <memory>

namespace dlscale::trainer {

class WorkGraph {
 public:
  virtual ~WorkGraph() = default;
  /// Submits the recorded work to the device, in order with other submitted work. The work uses the
  /// recorded memory addresses and host values.
  virtual void replay() = 0;
};

/// Recorder of the work submitted to a device. Code that recorded work runs on the host does not
/// run again during a replay.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  /// Runs `work` in the environment of a later recording, so that libraries can initialise
  /// themselves.
  virtual void rehearse(const std::function<void()>& work) = 0;
  /// Records `work` without running it on the device. Graphs of one recorder share memory and must
  /// be replayed in the order in which they were recorded. Throws base::RunError when `work` waits
  /// for the device or reads from it. Rethrows the exceptions of `work`.
  virtual std::unique_ptr<WorkGraph> record(const std::function<void()>& work) = 0;
};

}  // namespace dlscale::trainer
