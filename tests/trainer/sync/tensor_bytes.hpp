// SPDX-License-Identifier: Apache-2.0
// Measurement of the bytes of tensors that a rank holds.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/collective_queue.hpp"

namespace c10 {
class DebugInfoGuard;
}

namespace dlscale::test {

/// Returns the number of bytes in the storages of the tensors. Each storage is counted once.
std::int64_t storage_bytes(const std::vector<at::Tensor>& tensors);

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& tensors);

/// Counter of the bytes of tensors that the thread of a rank and the thread of its queue have
/// allocated and not freed since construction, as reported by their allocator.
class LiveBytes {
 public:
  /// Starts counting. The counter must be created and destroyed in the thread of the rank.
  explicit LiveBytes(trainer::CollectiveQueue& queue);
  ~LiveBytes();
  LiveBytes(const LiveBytes&) = delete;
  LiveBytes& operator=(const LiveBytes&) = delete;

  std::int64_t now() const;
  /// Returns the largest number of bytes at one time since the last call.
  std::int64_t take_most() const;

 private:
  class Count;
  std::shared_ptr<Count> count_;
  std::unique_ptr<c10::DebugInfoGuard> watched_;
};

}  // namespace dlscale::test
