// SPDX-License-Identifier: Apache-2.0
// Streams and events of CUDA's runtime, owned.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

/// Throws base::RunError (kExitCommunication) with CUDA's reason.
void check_cuda(cudaError_t result, const char* call);

/// This thread's calls of CUDA go to `gpu` as long as this lives.
class OnGpu {
 public:
  explicit OnGpu(int gpu);
  ~OnGpu();
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;

 private:
  int before_ = 0;
};

/// Runs beside the default stream, and before it where both want the GPU.
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

/// A mark behind all that `stream` has been given when it is made.
class CudaMark {
 public:
  explicit CudaMark(cudaStream_t stream);
  /// Whether the stream has come so far.
  bool is_passed() const;
  cudaEvent_t get() const { return event_.get(); }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<CUevent_st, Destroy> event_;
};

/// Asks until `done`, without keeping a core from those who compute. Returns false when that took
/// longer than `patience`, if there is one.
bool wait_until(const std::function<bool()>& done,
                std::optional<std::chrono::duration<double>> patience = {});

/// Of the default stream of a GPU. `idle` is a stream that is given nothing else.
std::shared_ptr<const Fence> make_fence(int gpu, std::shared_ptr<const CudaStream> idle);

}  // namespace dlscale::trainer
