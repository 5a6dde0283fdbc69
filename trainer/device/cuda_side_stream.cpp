// SPDX-License-Identifier: Apache-2.0
#include "trainer/device/cuda_side_stream.hpp"

#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>

namespace dlscale::trainer {
namespace {

class CudaSideStream : public SideStream {
 public:
  explicit CudaSideStream(int gpu)
      : gpu_(static_cast<c10::DeviceIndex>(gpu)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, gpu_)) {}

  void fill(int slot, const std::function<void()>& work) override {
    const auto i = static_cast<std::size_t>(slot);
    released_[i].block(stream_);
    {
      const c10::cuda::CUDAStreamGuard here(stream_);
      work();
    }
    filled_[i].record(stream_);
  }
  void use(int slot) override {
    filled_[static_cast<std::size_t>(slot)].block(c10::cuda::getCurrentCUDAStream(gpu_));
  }
  void release(int slot) override {
    released_[static_cast<std::size_t>(slot)].record(c10::cuda::getCurrentCUDAStream(gpu_));
  }

 private:
  c10::DeviceIndex gpu_;
  c10::cuda::CUDAStream stream_;
  std::array<at::cuda::CUDAEvent, kSlots> filled_, released_;
};

}  // namespace

std::unique_ptr<SideStream> make_cuda_side_stream(int gpu) {
  return std::make_unique<CudaSideStream>(gpu);
}

}  // namespace dlscale::trainer
