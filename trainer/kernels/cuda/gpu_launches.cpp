// SPDX-License-Identifier: Apache-2.0
// Implementation of Launches that starts kernels in LibTorch's current stream.
#include "trainer/kernels/cuda/gpu_launches.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

namespace dlscale::trainer::kernel {
namespace {

class GpuLaunches : public Launches {
 public:
  void run(const Call& call) const override {
    C10_CUDA_CHECK(start(call, c10::cuda::getCurrentCUDAStream().stream()));
  }
  bool serves(const at::Tensor& tensor) const override { return tensor.is_cuda(); }
  int blocks() const override {
    constexpr int kBlocksPerProcessor = 4;
    return kBlocksPerProcessor * at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  }
};

}  // namespace

const Launches* gpu_launches() {
  static const GpuLaunches launches;
  return &launches;
}

}  // namespace dlscale::trainer::kernel
