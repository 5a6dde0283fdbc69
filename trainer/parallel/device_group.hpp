// SPDX-License-Identifier: Apache-2.0
// The devices of one process, each with a thread of its own that works on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainer/device/device.hpp"

namespace dlscale::trainer {

// How the samples of a batch are cut for several devices.

struct Chunk {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The `index`-th of `parts`, as torch.chunk cuts: the last ones may get fewer, or none.
inline Chunk chunk_of(std::int64_t samples, int index, int parts) {
  const std::int64_t most = (samples + parts - 1) / parts;
  const std::int64_t first = std::min(most * index, samples);
  return {first, std::min(most, samples - first)};
}

/// On a CPU a device is a thread and the threads its operators use, on cores of its own where the
/// process has been given as many as its devices want (device/core_groups). One device alone is the
/// thread of the caller.
class DeviceGroup {
 public:
  /// `each`: of every device but for its local_rank, which is its place in the group. Throws
  /// base::RunError (contract::kExitBadRunDescription) when the machine has fewer of them.
  DeviceGroup(const DeviceEntry& kind, int count, const DeviceContext& each);
  ~DeviceGroup();

  int size() const { return static_cast<int>(devices_.size()); }
  const Device& operator[](int device) const { return *devices_[static_cast<std::size_t>(device)]; }
  /// How they lie on the machine, for people.
  const std::string& words() const { return words_; }
  /// Does `work` on the first `count` devices at a time, in the caller's thread-local state of
  /// LibTorch (gradients or not, number formats, who watches). Returns when all are done, their
  /// devices too, and throws what the first that failed threw.
  void on_each(int count, const std::function<void(int device)>& work);
  /// The same on the first device alone.
  void on_first(const std::function<void()>& work) {
    on_each(1, [&work](int) { work(); });
  }

 private:
  class Worker;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< none where there is one device
  std::string words_;
};

}  // namespace dlscale::trainer
