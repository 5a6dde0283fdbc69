// SPDX-License-Identifier: Apache-2.0
// Interface of the devices that a rank computes on, and the table of devices.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "trainer/device/side_stream.hpp"
#include "trainer/device/timeline.hpp"
#include "trainer/device/work_graph.hpp"

namespace c10 {
struct Device;
}

namespace dlscale::trainer {

class Device {
 public:
  virtual ~Device() = default;
  virtual c10::Device torch_device() const = 0;
  /// Waits until all work submitted to the device is done.
  virtual void synchronize() = 0;
  /// Returns a timeline of the work that this thread submits to the device. On a CPU, the timeline
  /// reads the time from `clock`.
  virtual std::unique_ptr<Timeline> timeline(const base::Clock& clock) = 0;
  /// Returns the peak memory of this rank so far, in bytes. On a CPU, the result is the memory of
  /// the process. On a GPU, the result is device memory.
  virtual double peak_memory_bytes() const = 0;
  /// Returns a recorder for the work that this thread submits to the device. Returns null for a
  /// device on which the replay of recorded work would save no time.
  virtual std::unique_ptr<WorkRecorder> recorder() { return nullptr; }
  /// Returns a second stream, whose work runs in parallel with the computation. Returns null for a
  /// device that cannot run work in parallel.
  virtual std::unique_ptr<SideStream> side_stream() { return nullptr; }
  /// Returns true when the device itself copies data from pinned host memory, so that the host need
  /// not wait for the copy.
  virtual bool fetches_pinned() const { return false; }
};

struct DeviceContext {
  int local_rank = 0;
  int cores = 1;      ///< number of threads of this rank
  bool tf32 = false;  ///< allows TF32 (float32 with a 10-bit mantissa) in matrix products
};

struct DeviceEntry {
  const char* name;
  const char* summary;
  /// Creates the device. Throws base::RunError (contract::kExitBadRunDescription) when the machine
  /// has no such device.
  std::unique_ptr<Device> (*make)(const DeviceContext& context);
  /// Reason why this build does not support the device. Null when the build supports the device.
  const char* unavailable = nullptr;
};

base::Table<DeviceEntry> device_table();

}  // namespace dlscale::trainer
