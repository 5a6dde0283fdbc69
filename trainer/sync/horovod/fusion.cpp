// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/horovod/fusion.hpp"

#include <cstddef>
#include <cstring>
#include <deque>
#include <utility>

#include "trainer/sync/horovod/reduction.hpp"

namespace dlscale::trainer::horovod {

// The fusion follows Horovod's function FuseResponses.

namespace {

/// Finds the responses in `rest` that can be reduced together with `first`, removes them from
/// `rest` and adds them to `first`.
void take_up(Response& first, std::deque<Response>& rest, std::int64_t threshold_bytes) {
  std::deque<Response> skipped;
  std::int64_t skipped_bytes = 0;
  while (!rest.empty()) {
    Response& next = rest.front();
    const bool fits = next.error.empty() && next.type == first.type &&
                      first.bytes() + next.bytes() <= threshold_bytes;
    if (fits) {
      first.names.push_back(std::move(next.names.front()));
      first.count += next.count;
    } else {
      skipped_bytes += next.bytes();
      if (first.bytes() + skipped_bytes > threshold_bytes) break;
      skipped.push_back(std::move(next));
    }
    rest.pop_front();
  }
  for (; !skipped.empty(); skipped.pop_back()) rest.push_front(std::move(skipped.back()));
}

}  // namespace

std::vector<Response> fuse(const std::vector<Response>& responses, std::int64_t threshold_bytes) {
  std::deque<Response> rest(responses.begin(), responses.end());
  std::vector<Response> fused;
  while (!rest.empty()) {
    fused.push_back(std::move(rest.front()));
    rest.pop_front();
    if (fused.back().error.empty()) take_up(fused.back(), rest, threshold_bytes);
  }
  return fused;
}

std::int64_t rounded_threshold(std::int64_t threshold_bytes, int local_size) {
  constexpr std::int64_t kAtomicUnit = 64;
  const auto unit =
      local_size * static_cast<std::int64_t>(bytes_of(ElementType::float64)) * kAtomicUnit;
  return (threshold_bytes + unit - 1) / unit * unit;
}

// Fusion buffer in host memory.

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
