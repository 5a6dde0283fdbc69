// SPDX-License-Identifier: Apache-2.0
// Owning wrappers of the streams and events of the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Throws base::RunError (kExitCommunication) with the error text of CUDA unless `result` is
/// success.
void check_cuda(cudaError_t result, const char* call);

/// Guard that directs the CUDA calls of this thread to `gpu` during its lifetime.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

/// Stream that runs concurrently with the default stream, at a higher priority.
class CudaStream {
 public:
  CudaStream();
  ~CudaStream();
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// CUDA event behind all work that was submitted to `stream` before the event was recorded.
class CudaMark {
 public:
  explicit CudaMark(cudaStream_t stream);
  /// Returns true if the stream has finished all work before the event.
  bool is_passed() const;
  cudaEvent_t get() const { return event_.get(); }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

/// Polls `done` until it returns true. Yields the core to computing threads between polls. Returns
/// false when `patience` is given and `done` has not returned true within this time.
bool wait_until(const std::function<bool()>& done,
                std::optional<std::chrono::duration<double>> patience = {});

/// Makes a fence on the default stream of a GPU. `idle` must be a stream without other work,
/// because Fence::age_s() records an event on `idle` to read the present time of the GPU.
std::shared_ptr<const Fence> make_fence(int gpu, std::shared_ptr<const CudaStream> idle);

}  // namespace dlscale::trainer
