// SPDX-License-Identifier: Apache-2.0
// Group of the devices of one process, each with its own worker thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/device/device.hpp"

namespace dlscale::trainer {

// Division of a batch's samples among several devices.

struct Chunk {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Returns chunk number `index` of `parts` chunks. The samples are divided as in torch.chunk, so
/// the last chunks may have fewer samples than the other chunks, or no samples.
inline Chunk chunk_of(std::int64_t samples, int index, int parts) {
  const std::int64_t most = (samples + parts - 1) / parts;
  const std::int64_t first = std::min(most * index, samples);
  return {first, std::min(most, samples - first)};
}

/// Devices of one process that work in parallel. On a CPU, a device consists of a worker thread and
/// its operator threads. Each CPU device has its own cores when the number of cores of the process
/// equals the number that all its devices need (see device/core_groups). A group with one device
/// starts no worker thread and runs all work on the calling thread.
class DeviceGroup {
 public:
  /// Creates `count` devices. All devices have the settings `each`, except that the local_rank of a
  /// device is its index in the group. Throws base::RunError (contract::kExitBadRunDescription)
  /// when the machine has fewer than `count` devices.
  DeviceGroup(const DeviceEntry& kind, int count, const DeviceContext& each);
  ~DeviceGroup();

  int size() const { return static_cast<int>(devices_.size()); }
  const Device& operator[](int device) const { return *devices_[static_cast<std::size_t>(device)]; }
  /// Returns a readable description of how the devices are placed on the cores.
  const std::string& words() const { return words_; }
  /// Runs `work` on the first `count` devices in parallel. Every worker thread takes over the
  /// caller's thread-local state of LibTorch (gradient mode, number formats) and the caller's
  /// operator watch. Returns when all devices have finished their work. Rethrows the exception of
  /// the first failed device.
  void on_each(int count, const std::function<void(int device)>& work);
  /// Runs `work` on the first device.
  void on_first(const std::function<void()>& work) {
    on_each(1, [&work](int) { work(); });
  }

 private:
  class Worker;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< empty when the group has one device
  std::string words_;
};

}  // namespace dlscale::trainer
