// SPDX-License-Identifier: Apache-2.0
// Tensors as the collectives see them; and Horovod's fusion buffer on a device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "trainer/comm/collective_queue.hpp"
#include "trainer/sync/horovod/fusion.hpp"

namespace dlscale::trainer {

// Tensors as the collectives see them.

/// The elements of `tensor` in memory order, which is the same on all ranks when its strides are.
/// Throws RunError for what the collectives cannot take: tensors that are neither in the host's
/// memory nor a GPU's, have gaps in memory, or are of a type no ElementType stands for.
Span span_of(const at::Tensor& tensor);

/// What `span` covers, on `device`, as a vector. The memory stays whose it is.
at::Tensor tensor_at(const Span& span, at::Device device);

/// For a collective of these tensors: they live until it is over, whatever becomes of whoever
/// submitted it.
template <class... Tensors>
OnDone keeping(const Tensors&... tensors) {
  return [tensors...](const std::exception_ptr&) {};
}

/// **Collective.** Gives every rank the values rank 0 has, for initial parameters and buffers.
/// Same shapes, strides and order on all ranks. Returns when all are there.
void broadcast_from_root(const std::vector<at::Tensor>& tensors, CollectiveQueue& queue);

// Horovod's fusion buffer on a device.

/// Works on a stream of its own, beside what computes.
std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device);

}  // namespace dlscale::trainer
