// SPDX-License-Identifier: Apache-2.0
// Which tensors are reduced together, and the memory in which that is done.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// Which tensors are reduced together.

/// Horovod's greedy rule: the first response takes up those after it that have its type, as long as
/// their sum is at most `threshold_bytes`. Others are left for later, and the search goes on past
/// them only while they and what was taken up are together at most the threshold: a tensor that
/// became ready long after should not delay those before it. Errors stay alone. `responses` are of
/// one tensor each; the same input gives the same output on every rank.
std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes);

/// `threshold_bytes` rounded up so that a fused buffer of any type divides among the `local_size`
/// ranks of a node in units of 64 elements (Horovod's FUSION_BUFFER_ATOMIC_UNIT).
std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size);

// Memory in which several tensors are reduced as one, and what is done to it.

/// Used by one thread; each call returns when its work is done, on a device as well.
class FusionBuffer {
 public:
  virtual ~FusionBuffer() = default;
  /// The tensors, of one type and `count` elements in all, one behind the other. What it returns
  /// stays until the next call.
  virtual Span take_in(const std::vector<Span>& tensors, std::int64_t count, ElementType type) = 0;
  /// The way back, each element multiplied by `factor`. Floating types only.
  virtual void hand_out(const Span& fused, const std::vector<Span>& tensors, double factor) = 0;
  /// Multiplies each element by `factor`. Floating types only.
  virtual void scale(const Span& data, double factor) = 0;
};

std::unique_ptr<FusionBuffer> make_host_fusion_buffer();

}  // namespace dlscale::trainer::horovod
