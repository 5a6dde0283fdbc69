// SPDX-License-Identifier: Apache-2.0
// Tensors as the collectives see them.
#include "trainer/sync/tensor_collectives.hpp"

#include <ATen/ops/from_blob.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw base::RunError("cannot exchange " + what + " between ranks", contract::kExitCommunication);
}

ElementType element_type_of(at::ScalarType type) {
  switch (type) {
    case at::kByte:
      return ElementType::uint8;
    case at::kInt:
      return ElementType::int32;
    case at::kLong:
      return ElementType::int64;
    case at::kHalf:
      return ElementType::float16;
    case at::kBFloat16:
      return ElementType::bfloat16;
    case at::kFloat:
      return ElementType::float32;
    case at::kDouble:
      return ElementType::float64;
    default:
      refuse(std::string("a tensor of type ") + c10::toString(type));
  }
}

at::ScalarType scalar_type_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return at::kByte;
    case ElementType::int32:
      return at::kInt;
    case ElementType::int64:
      return at::kLong;
    case ElementType::float16:
      return at::kHalf;
    case ElementType::bfloat16:
      return at::kBFloat16;
    case ElementType::float32:
      return at::kFloat;
    case ElementType::float64:
      break;
  }
  return at::kDouble;
}

}  // namespace

Span span_of(const at::Tensor& tensor) {
  if (!tensor.is_cpu() && !tensor.is_cuda()) refuse("a tensor on " + tensor.device().str());
  if (!tensor.is_non_overlapping_and_dense()) refuse("a tensor with gaps in its memory");
  return {tensor.data_ptr(), tensor.numel(), element_type_of(tensor.scalar_type()),
          tensor.is_cuda() ? Memory::device : Memory::host};
}

at::Tensor tensor_at(const Span& span, at::Device device) {
  return at::for_blob(span.data, {span.count})
      .options(at::TensorOptions(scalar_type_of(span.type)).device(device))
      .target_device(device)
      .make_tensor();
}

void broadcast_from_root(const std::vector<at::Tensor>& tensors, CollectiveQueue& queue) {
  std::vector<std::shared_ptr<Work>> works;
  works.reserve(tensors.size());
  for (const at::Tensor& tensor : tensors) works.push_back(queue.broadcast(span_of(tensor), 0));
  for (const auto& work : works) work->wait();
}

}  // namespace dlscale::trainer
