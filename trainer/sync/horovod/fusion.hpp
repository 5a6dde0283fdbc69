// SPDX-License-Identifier: Apache-2.0
// Selection of the tensors that are reduced together, and the memory for their reduction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"
#include "trainer/sync/horovod/messages.hpp"

namespace dlscale::trainer::horovod {

// The following functions select the tensors that are reduced together.

/// Fuses responses by Horovod's greedy rule. Each response of `responses` must have one tensor.
///
/// - The first response is fused with later responses of the same type, as long as the fused
///   tensors together have at most `threshold_bytes` bytes.
/// - Responses that do not fit are skipped, and are fused afterwards in the same way. The search
///   for further responses ends when the skipped and the fused responses together exceed the
///   threshold. Otherwise, a tensor that became ready much later could delay the skipped tensors.
/// - Responses that report an error are not fused.
/// - The same input gives the same output on every rank.
std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes);

/// Returns `threshold_bytes`, rounded up. A buffer of the returned size can be divided equally
/// among the `local_size` ranks of a node in units of 64 elements of any type (Horovod's
/// FUSION_BUFFER_ATOMIC_UNIT).
std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size);

// The following class provides the memory in which several tensors are reduced together.

/// Buffer for the fusion of tensors. Only one thread may use a buffer. Each call returns when its
/// work, including work on a device, is done.
class FusionBuffer {
 public:
  virtual ~FusionBuffer() = default;
  /// Copies the tensors one after the other to the buffer and returns the buffer. All tensors must
  /// have the type `type`. `count` is the total number of elements of the tensors. The result is
  /// valid until the next call.
  virtual Span take_in(const std::vector<Span>& tensors, std::int64_t count, ElementType type) = 0;
  /// Copies the buffer back to the tensors and multiplies each element by `factor`. The elements
  /// must be of a floating-point type.
  virtual void hand_out(const Span& fused, const std::vector<Span>& tensors, double factor) = 0;
  /// Multiplies each element of `data` by `factor`. The elements must be of a floating-point type.
  virtual void scale(const Span& data, double factor) = 0;
};

std::unique_ptr<FusionBuffer> make_host_fusion_buffer();

}  // namespace dlscale::trainer::horovod
