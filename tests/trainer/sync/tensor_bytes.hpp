// SPDX-License-Identifier: Apache-2.0
// How many bytes of tensors a rank holds.
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

/// Of the tensors' storages, each counted once.
std::int64_t storage_bytes(const std::vector<at::Tensor>& tensors);

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& tensors);

/// The bytes of tensors that a rank's threads, its own and its queue's, have made and not given
/// back since this was made, as their allocator reports them.
class LiveBytes {
 public:
  /// To be made in the rank's own thread, and to end there.
  explicit LiveBytes(trainer::CollectiveQueue& queue);
  ~LiveBytes();
  LiveBytes(const LiveBytes&) = delete;
  LiveBytes& operator=(const LiveBytes&) = delete;

  std::int64_t now() const;
  /// At a time, since it was last asked.
  std::int64_t take_most() const;

 private:
  class Count;
  std::shared_ptr<Count> count_;
  std::unique_ptr<c10::DebugInfoGuard> watched_;
};

}  // namespace dlscale::test
