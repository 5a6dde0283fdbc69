// SPDX-License-Identifier: Apache-2.0
// LibTorch's CUDAGraph: what is given to one stream is captured instead of done.
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

/// What is given to `later` from now on waits for what `earlier` has been given.
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
  /// Not the default stream, which cannot be captured.
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
    torch::cuda::synchronize(gpu_);  // what is under way is not to be part of it
    // While it records LibTorch gives nothing back of what the rehearsals have left.
    c10::cuda::CUDACachingAllocator::emptyCache();
    const c10::cuda::CUDAStreamGuard here(stream_);
    auto made = std::make_unique<CudaGraph>();
    // Threads that load batches and write checkpoints go on allocating, which only a capture of
    // this thread's calls alone lets them do.
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
  /// CUDA's errors go on with advice on how to find them.
  static std::string first_line(const c10::Error& error) {
    const std::string words = error.what_without_backtrace();
    return words.substr(0, words.find('\n'));
  }

  /// The stream is to be of use again. LibTorch's allocator may go on knowing the graph.
  void give_up(std::unique_ptr<CudaGraph> failed) {
    failed_ = std::move(failed);
    try {
      failed_->graph.capture_end();
    } catch (const c10::Error&) {  // says once more that it has failed
    }
  }

  c10::DeviceIndex gpu_;
  CUDAStream stream_;
  at::cuda::MempoolId_t pool_{0, 0};  ///< zeros: of its own, which later graphs share
  std::unique_ptr<CudaGraph> failed_;
};

}  // namespace

std::unique_ptr<WorkRecorder> make_cuda_graph_recorder(int gpu) {
  return std::make_unique<CudaGraphRecorder>(gpu);
}

}  // namespace dlscale::trainer
