// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/cuda_stream.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <thread>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

using Clock = std::chrono::steady_clock;

constexpr cudaStream_t kDefaultStream = nullptr;

class DefaultStreamFence : public Fence {
 public:
  DefaultStreamFence(int gpu, std::shared_ptr<const CudaStream> idle)
      : gpu_(gpu), idle_(std::move(idle)), mark_(kDefaultStream) {}

  void wait() const override {
    const OnGpu gpu(gpu_);
    wait_until([this] { return mark_.is_passed(); });
  }

  double age_s() const override {
    try {
      const OnGpu gpu(gpu_);
      if (!mark_.is_passed()) return 0;
      const CudaMark now(idle_->get());
      float milliseconds = 0;
      check_cuda(cudaEventSynchronize(now.get()), "cudaEventSynchronize");
      check_cuda(cudaEventElapsedTime(&milliseconds, mark_.get(), now.get()),
                 "cudaEventElapsedTime");
      return milliseconds / 1e3;
    } catch (const base::RunError&) {
      return 0;  // the next call on this GPU reports the error
    }
  }

 private:
  int gpu_;
  std::shared_ptr<const CudaStream> idle_;
  CudaMark mark_;
};

}  // namespace

void check_cuda(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  throw base::RunError(fmt::format("{} failed: {}", call, cudaGetErrorString(result)),
                       contract::kExitCommunication);
}

OnGpu::OnGpu(int gpu) {
  check_cuda(cudaGetDevice(&before_), "cudaGetDevice");
  check_cuda(cudaSetDevice(gpu), "cudaSetDevice");
}

OnGpu::~OnGpu() {
  cudaSetDevice(before_);
}

CudaStream::CudaStream() {
  int least = 0, greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
             "cudaDeviceGetStreamPriorityRange");
  check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
             "cudaStreamCreateWithPriority");
}

CudaStream::~CudaStream() {
  cudaStreamDestroy(stream_);
}

CudaMark::CudaMark(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  event_.reset(event);
  check_cuda(cudaEventRecord(event, stream), "cudaEventRecord");
}

bool CudaMark::is_passed() const {
  const cudaError_t result = cudaEventQuery(event_.get());
  if (result == cudaErrorNotReady) return false;
  check_cuda(result, "cudaEventQuery");
  return true;
}

bool wait_until(const std::function<bool()>& done,
                std::optional<std::chrono::duration<double>> patience) {
  constexpr std::chrono::microseconds kAwake{200};
  constexpr std::chrono::microseconds kSleep{50};
  const Clock::time_point begin = Clock::now();
  while (!done()) {
    const Clock::duration taken = Clock::now() - begin;
    if (patience && taken > *patience) return false;
    if (taken < kAwake) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }
  return true;
}

std::shared_ptr<const Fence> make_fence(int gpu, std::shared_ptr<const CudaStream> idle) {
  const OnGpu on(gpu);
  return std::make_shared<DefaultStreamFence>(gpu, std::move(idle));
}

}  // namespace dlscale::trainer
