// SPDX-License-Identifier: Apache-2.0
// What a rank computes on; and the table of devices.
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
  /// Returns when all work given to the device is done.
  virtual void synchronize() = 0;
  /// Of what this thread gives the device. On a CPU its time is `clock`'s.
  virtual std::unique_ptr<Timeline> timeline(const base::Clock& clock) = 0;
  /// Most memory this rank has held so far: of the process on a CPU, of the device otherwise.
  virtual double peak_memory_bytes() const = 0;
  /// Of what this thread gives the device. Null where giving takes no time that could be saved.
  virtual std::unique_ptr<WorkRecorder> recorder() { return nullptr; }
  /// A second queue of work. Null where work does not overlap.
  virtual std::unique_ptr<SideStream> side_stream() { return nullptr; }
  /// Whether it fetches by itself, while the processor goes on, what lies in pinned memory.
  virtual bool fetches_pinned() const { return false; }
};

struct DeviceContext {
  int local_rank = 0;
  int cores = 1;      ///< threads this rank computes with
  bool tf32 = false;  ///< float32 products with 10 bits of mantissa, where the device has them
};

struct DeviceEntry {
  const char* name;
  const char* summary;
  /// Throws base::RunError (contract::kExitBadRunDescription) when the machine has none.
  std::unique_ptr<Device> (*make)(const DeviceContext& context);
  const char* unavailable = nullptr;  ///< why this build lacks it; null when it has it
};

base::Table<DeviceEntry> device_table();

}  // namespace dlscale::trainer
