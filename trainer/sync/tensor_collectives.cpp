// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/tensor_collectives.hpp"

#include <ATen/ops/from_blob.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include <memory>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {

// Conversion between tensors and the spans that collectives take.

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

namespace {

class DeviceFusion : public horovod::FusionBuffer {
 public:
  explicit DeviceFusion(at::Device device)
      : device_(device),
        stream_(c10::impl::VirtualGuardImpl(device.type())
                    .getStreamFromGlobalPool(device, /*isHighPriority=*/true)) {}

  Span take_in(const std::vector<Span>& tensors, std::int64_t count, ElementType type) override {
    return on_stream([&] {
      const auto bytes = count * static_cast<std::int64_t>(bytes_of(type));
      if (!memory_.defined() || memory_.numel() < bytes) {
        memory_.reset();
        memory_ = at::empty({bytes}, at::TensorOptions(at::kByte).device(device_));
      }
      const Span fused{memory_.data_ptr(), count, type, Memory::device};
      for_parts(fused, tensors,
                [](const at::Tensor& part, at::Tensor tensor) { part.copy_(tensor); });
      return fused;
    });
  }

  void hand_out(const Span& fused, const std::vector<Span>& tensors, double factor) override {
    on_stream([&] {
      for_parts(fused, tensors, [factor](const at::Tensor& part, at::Tensor tensor) {
        at::mul_out(tensor, part, at::scalar_tensor(factor, at::kDouble));
      });
      return fused;
    });
  }

  void scale(const Span& data, double factor) override {
    on_stream([&] {
      tensor_at(data, device_).mul_(factor);
      return data;
    });
  }

 private:
  /// Runs `work` on the separate stream and returns when the device has finished the work.
  template <class Work>
  Span on_stream(const Work& work) {
    const at::NoGradGuard no_gradients;
    const c10::StreamGuard guard(stream_);
    const Span result = work();
    stream_.synchronize();
    return result;
  }

  template <class Work>
  void for_parts(const Span& fused, const std::vector<Span>& tensors, const Work& work) const {
    std::int64_t at = 0;
    for (const Span& tensor : tensors) {
      work(tensor_at(fused.part(at, tensor.count), device_), tensor_at(tensor, device_));
      at += tensor.count;
    }
  }

  at::Device device_;
  c10::Stream stream_;
  at::Tensor memory_;  ///< memory of the buffer, as a tensor of bytes
};

}  // namespace

std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device) {
  return std::make_unique<DeviceFusion>(device);
}

}  // namespace dlscale::trainer
