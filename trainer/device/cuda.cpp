// SPDX-License-Identifier: Apache-2.0
// One GPU per rank: the local ranks of a node share its GPUs out in turn.
#include <c10/core/CachingDeviceAllocator.h>
#include <torch/cuda.h>

#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/threads.hpp"

namespace dlscale::trainer {
namespace {

class Cuda : public Device {
 public:
  explicit Cuda(c10::DeviceIndex index) : index_(index) {}
  c10::Device torch_device() const override { return {c10::kCUDA, index_}; }
  void synchronize() override { torch::cuda::synchronize(index_); }
  double peak_memory_bytes() const override {
    const auto stats = c10::getDeviceAllocator(c10::kCUDA)->getDeviceStats(index_);
    return static_cast<double>(stats.reserved_bytes[0].peak);  // 0: all of the allocator's pools
  }

 private:
  c10::DeviceIndex index_;
};

std::unique_ptr<Device> make(const DeviceContext& context) {
  const int gpus = torch::cuda::device_count();
  if (gpus == 0) {
    throw base::RunError("no CUDA device is visible; check the driver and CUDA_VISIBLE_DEVICES",
                         contract::kExitBadRunDescription);
  }
  use_threads(context.cores);
  return std::make_unique<Cuda>(static_cast<c10::DeviceIndex>(context.local_rank % gpus));
}

}  // namespace

extern const DeviceEntry cuda_entry;
const DeviceEntry cuda_entry{"cuda", "NVIDIA GPUs, one per rank", make};

}  // namespace dlscale::trainer
