// SPDX-License-Identifier: Apache-2.0
// Work that a device records once and replays with a single call.
#pragma once

#include <functional>
#include <memory>

namespace dlscale::trainer {

class WorkGraph {
 public:
  virtual ~WorkGraph() = default;
  /// Submits the recorded work to the device. The work runs after work that was submitted earlier.
  /// The work uses the same memory addresses, and the same values of variables on the host, as
  /// during the recording.
  virtual void replay() = 0;
};

/// Recorder of the work that is submitted to a device. A replay repeats only the work of the
/// device, and does not run the code of the host again.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  /// Runs `work` without recording it, in the stream in which record() runs later. The libraries
  /// that `work` calls can then initialise themselves, which they cannot do during a recording.
  virtual void rehearse(const std::function<void()>& work) = 0;
  /// Records `work` without running it on the device. Graphs of one recorder share memory and must
  /// be replayed in the order in which they were recorded. Throws base::RunError when `work` waits
  /// for the device or reads data from the device. Rethrows the exceptions of `work`.
  virtual std::unique_ptr<WorkGraph> record(const std::function<void()>& work) = 0;
};

}  // namespace dlscale::trainer
