// SPDX-License-Identifier: Apache-2.0
// Implementation of Launches that starts kernels in LibTorch's current stream.
#include "trainer/kernels/cuda/gpu_launches.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

namespace dlscale::trainer::kernel {
namespace {

template <class Call, class... More>
void start_here(const Call& call, More... more) {
  C10_CUDA_CHECK(start(call, more..., c10::cuda::getCurrentCUDAStream().stream()));
}

class GpuLaunches : public Launches {
 public:
  int blocks() const override {
    constexpr int kBlocksPerProcessor = 4;
    return kBlocksPerProcessor * at::cuda::getCurrentDeviceProperties()->multiProcessorCount;
  }
  bool serves(const at::Tensor& tensor) const override { return tensor.is_cuda(); }

#define DLSCALE_LAUNCHES_OF(T)                                       \
  void run(const MomentsCall<T>& call) override {                    \
    start_here(call);                                                \
  }                                                                  \
  void run(const FinishMomentsCall<T>& call) override {              \
    start_here(call);                                                \
  }                                                                  \
  void run(const NormaliseCall<T>& call) override {                  \
    start_here(call);                                                \
  }                                                                  \
  void run(const GradientSumsCall<T>& call) override {               \
    start_here(call);                                                \
  }                                                                  \
  void run(const FinishGradientsCall<T>& call) override {            \
    start_here(call);                                                \
  }                                                                  \
  void run(const NormGradientCall<T>& call) override {               \
    start_here(call);                                                \
  }                                                                  \
  void run(const PoolCall<T>& call) override {                       \
    start_here(call);                                                \
  }                                                                  \
  void run(const PoolGradientCall<T>& call) override {               \
    start_here(call);                                                \
  }                                                                  \
  void run(const LossCall<T>& call, std::int64_t samples) override { \
    start_here(call, samples);                                       \
  }                                                                  \
  void run(const LossGradientCall<T>& call) override {               \
    start_here(call);                                                \
  }
  DLSCALE_LAUNCHES_OF(float)
  DLSCALE_LAUNCHES_OF(Float16)
  DLSCALE_LAUNCHES_OF(BFloat16)
#undef DLSCALE_LAUNCHES_OF
};

}  // namespace

std::unique_ptr<Launches> make_gpu_launches() {
  return std::make_unique<GpuLaunches>();
}

}  // namespace dlscale::trainer::kernel
