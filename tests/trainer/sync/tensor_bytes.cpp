// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/sync/tensor_bytes.hpp"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace dlscale::test {
namespace {

constexpr auto kWatched = c10::DebugInfoKind::PROFILER_STATE;

}  // namespace

std::int64_t storage_bytes(const std::vector<at::Tensor>& tensors) {
  std::map<const void*, std::int64_t> storages;
  for (const at::Tensor& tensor : tensors) {
    if (!tensor.defined()) continue;
    storages[tensor.storage().unsafeGetStorageImpl()] =
        static_cast<std::int64_t>(tensor.storage().nbytes());
  }
  std::int64_t sum = 0;
  for (const auto& [storage, bytes] : storages) sum += bytes;
  return sum;
}

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& tensor : tensors) gradients.push_back(tensor.grad());
  return gradients;
}

class LiveBytes::Count : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    const std::lock_guard lock(mutex_);
    now_ += bytes;
    most_ = std::max(most_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  std::int64_t now() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  std::int64_t take_most() {
    const std::lock_guard lock(mutex_);
    return std::exchange(most_, now_);
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t now_ = 0, most_ = 0;
};

LiveBytes::LiveBytes(trainer::CollectiveQueue& queue)
    : count_(std::make_shared<Count>()),
      watched_(std::make_unique<c10::DebugInfoGuard>(kWatched, count_)) {
  queue
      .run([count = count_](trainer::Communicator&) {
        c10::ThreadLocalDebugInfo::_push(kWatched, count);
      })
      ->wait();
}

LiveBytes::~LiveBytes() = default;

std::int64_t LiveBytes::now() const {
  return count_->now();
}

std::int64_t LiveBytes::take_most() const {
  return count_->take_most();
}

}  // namespace dlscale::test
