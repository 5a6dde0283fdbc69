// SPDX-License-Identifier: Apache-2.0
// Selection of the tensors that are reduced together, and the memory for their reduction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// Selection of the tensors that are reduced together.

/// Fuses responses by Horovod's greedy rule. Each response of `responses` must have one tensor.
///
/// - The first response takes later responses of its type as long as their sum is at most
///   `threshold_bytes`.
/// - Other responses are left for later. The search continues past them only while the skipped and
///   the taken responses together are at most the threshold. A tensor that became ready much later
///   should not delay the skipped tensors.
/// - Errors are not fused.
/// - The same input gives the same output on every rank.
std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes);

/// Returns `threshold_bytes` rounded up so that a fused buffer of any type can be divided among the
/// `local_size` ranks of a node in units of 64 elements (Horovod's FUSION_BUFFER_ATOMIC_UNIT).
std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size);

// Memory in which several tensors are reduced together.

/// Buffer for the fusion of tensors. Only one thread may use a buffer. Each call returns when its
/// work is done, on a device as well.
class FusionBuffer {
 public:
  virtual ~FusionBuffer() = default;
  /// Copies the tensors one after the other to the buffer. All tensors must have type `type`, and
  /// `count` is the sum of their elements. The result is valid until the next call.
  virtual Span take_in(const std::vector<Span>& tensors, std::int64_t count, ElementType type) = 0;
  /// Copies the buffer back to the tensors and multiplies each element by `factor`. Floating types
  /// only.
  virtual void hand_out(const Span& fused, const std::vector<Span>& tensors, double factor) = 0;
  /// Multiplies each element by `factor`. Floating types only.
  virtual void scale(const Span& data, double factor) = 0;
};

std::unique_ptr<FusionBuffer> make_host_fusion_buffer();

}  // namespace dlscale::trainer::horovod
