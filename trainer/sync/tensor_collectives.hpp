// SPDX-License-Identifier: Apache-2.0
// Conversion between tensors and the spans that collectives take, and Horovod's fusion buffer on a
// device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/horovod/fusion.hpp"

namespace dlscale::trainer {

// Conversion between tensors and the spans that collectives take.

/// Returns the memory of `tensor` as a span. The elements of the span are in memory order, so ranks
/// must use equal strides to have the same order. Throws RunError for tensors that the collectives
/// do not support: tensors outside host and GPU memory, tensors with gaps in memory, and tensors of
/// a type without an ElementType.
Span span_of(const at::Tensor& tensor);

/// Returns the memory of `span` as a vector on `device`. The tensor does not own the memory.
at::Tensor tensor_at(const Span& span, at::Device device);

/// Returns an OnDone callback that holds references to `tensors`. The tensors therefore stay alive
/// until the collective is over, even if the submitting code has already released them.
template <class... Tensors>
OnDone keeping(const Tensors&... tensors) {
  return [tensors...](const std::exception_ptr&) {};
}

/// **Collective.** Copies the values of `tensors` on rank 0 to every rank. The trainer calls this
/// function for initial parameters and buffers. Shapes, strides and order must be the same on all
/// ranks. Returns when all tensors have arrived.
void broadcast_from_root(const std::vector<at::Tensor>& tensors, CollectiveQueue& queue);

// Horovod's fusion buffer on a device.

/// Makes a fusion buffer on `device`. The buffer works on a separate stream, concurrently with
/// computation.
std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device);

}  // namespace dlscale::trainer
