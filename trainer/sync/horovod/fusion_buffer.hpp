// SPDX-License-Identifier: Apache-2.0
// Memory in which several tensors are reduced as one, and what is done to it.
#pragma once

#include <memory>
#include <vector>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer::horovod {

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
