// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/device_fusion.hpp"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/types.h>

#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
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
  /// Returns when the device is done.
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
  at::Tensor memory_;  ///< bytes
};

}  // namespace

std::unique_ptr<horovod::FusionBuffer> make_device_fusion(at::Device device) {
  return std::make_unique<DeviceFusion>(device);
}

}  // namespace dlscale::trainer
