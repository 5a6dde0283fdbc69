// SPDX-License-Identifier: Apache-2.0
// Recorder of GPU work as CUDA graphs. LibTorch's CUDAGraph captures the work that is submitted to
// one stream, and does not run the captured work.
#include "trainer/device/cuda_graph.hpp"

#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <torch/cuda.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

using c10::cuda::CUDAStream;

/// Makes stream `later` wait: work submitted to `later` after this call starts only when the work
/// already submitted to stream `earlier` is done.
void put_behind(const CUDAStream& earlier, const CUDAStream& later) {
  at::cuda::CUDAEvent mark;
  mark.record(earlier);
  mark.block(later);
}

class CudaGraph : public WorkGraph {
 public:
  void replay() override { graph.replay(); }
  at::cuda::CUDAGraph graph;
};

class CudaGraphRecorder : public WorkRecorder {
 public:
  /// Creates the recorder with a stream from the pool, because the default stream cannot be
  /// captured.
  explicit CudaGraphRecorder(int gpu)
      : gpu_(static_cast<c10::DeviceIndex>(gpu)),
        stream_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, gpu_)) {}

  void rehearse(const std::function<void()>& work) override {
    const CUDAStream usual = c10::cuda::getCurrentCUDAStream(gpu_);
    put_behind(usual, stream_);
    {
      const c10::cuda::CUDAStreamGuard here(stream_);
      work();
    }
    put_behind(stream_, usual);
  }

  std::unique_ptr<WorkGraph> record(const std::function<void()>& work) override {
    torch::cuda::synchronize(gpu_);  // waits for pending work, which must not be captured
    // LibTorch cannot free cached memory during a capture, so the memory that the rehearsals left
    // in the cache is freed before the capture.
    c10::cuda::CUDACachingAllocator::emptyCache();
    const c10::cuda::CUDAStreamGuard here(stream_);
    auto made = std::make_unique<CudaGraph>();
    // Other threads of the process load batches and write checkpoints, and allocate memory during
    // the capture. CUDA permits their allocations only in the thread-local capture mode.
    made->graph.capture_begin(pool_, cudaStreamCaptureModeThreadLocal);
    try {
      work();
      made->graph.capture_end();
    } catch (const c10::Error& error) {
      give_up(std::move(made));
      throw base::RunError("it cannot be captured: " + first_line(error),
                           contract::kExitBadRunDescription);
    } catch (...) {
      give_up(std::move(made));
      throw;
    }
    pool_ = made->graph.pool();
    return made;
  }

 private:
  /// Returns the first line of a CUDA error. The other lines of the error contain only advice for
  /// debugging.
  static std::string first_line(const c10::Error& error) {
    const std::string words = error.what_without_backtrace();
    return words.substr(0, words.find('\n'));
  }

  /// Ends a failed capture so that the stream can be used again. Keeps the failed graph alive,
  /// because LibTorch's allocator may still refer to it.
  void give_up(std::unique_ptr<CudaGraph> failed) {
    failed_ = std::move(failed);
    try {
      failed_->graph.capture_end();
    } catch (const c10::Error&) {  // the exception repeats the failure that ended the capture
    }
  }

  c10::DeviceIndex gpu_;
  CUDAStream stream_;
  at::cuda::MempoolId_t pool_{0, 0};  ///< zeros request a new pool, which later graphs share
  std::unique_ptr<CudaGraph> failed_;
};

}  // namespace

std::unique_ptr<WorkRecorder> make_cuda_graph_recorder(int gpu) {
  return std::make_unique<CudaGraphRecorder>(gpu);
}

}  // namespace dlscale::trainer
