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

/// Returns the elements of `tensor` in memory order. Equal strides give the same order on all
/// ranks. Throws RunError for tensors that the collectives cannot take: tensors outside host and
/// GPU memory, tensors with gaps in memory, and tensors of a type without an ElementType.
Span span_of(const at::Tensor& tensor);

/// Returns the memory of `span` as a vector on `device`. The tensor does not own the memory.
at::Tensor tensor_at(const Span& span, at::Device device);

/// Returns a callback that keeps the tensors of a collective alive until the collective is over,
/// even if the submitting code has ended.
template <class... Tensors>
OnDone keeping(const Tensors&... tensors) {
  return [tensors...](const std::exception_ptr&) {};
}

/// **Collective.** Copies the values of rank 0 to every rank, for initial parameters and buffers.
/// Shapes, strides and order must be the same on all ranks. Returns when all tensors have arrived.
void broadcast_from_root(const std::vector<at::Tensor>& tensors, CollectiveQueue& queue);

// Horovod's fusion buffer on a device.

/// Makes a fusion buffer that works on a separate stream, concurrently with computation.
std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device);

}  // namespace dlscale::trainer
