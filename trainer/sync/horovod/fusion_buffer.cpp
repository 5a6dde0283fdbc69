// SPDX-License-Identifier: Apache-2.0
// In the host's memory.
#include "trainer/sync/horovod/fusion_buffer.hpp"

#include <cstddef>
#include <cstring>

#include "trainer/sync/horovod/scale.hpp"

namespace dlscale::trainer::horovod {
namespace {

class HostFusionBuffer : public FusionBuffer {
 public:
  Span take_in(const std::vector<Span>& tensors, std::int64_t count, ElementType type) override {
    const Span fused = room(count, type);
    std::int64_t at = 0;
    for (const Span& tensor : tensors) {
      if (tensor.count == 0) continue;
      std::memcpy(fused.part(at, tensor.count).data, tensor.data, tensor.bytes());
      at += tensor.count;
    }
    return fused;
  }

  void hand_out(const Span& fused, const std::vector<Span>& tensors, double factor) override {
    std::int64_t at = 0;
    for (const Span& tensor : tensors) {
      horovod::scale(fused.part(at, tensor.count).data, tensor, factor);
      at += tensor.count;
    }
  }

  void scale(const Span& data, double factor) override { horovod::scale(data.data, data, factor); }

 private:
  Span room(std::int64_t count, ElementType type) {
    const auto bytes = static_cast<std::size_t>(count) * bytes_of(type);
    if (bytes > bytes_) {
      memory_.reset();
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      bytes_ = bytes;
    }
    return {memory_.get(), count, type};
  }

  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<FusionBuffer> make_host_fusion_buffer() {
  return std::make_unique<HostFusionBuffer>();
}

}  // namespace dlscale::trainer::horovod
