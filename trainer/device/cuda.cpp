// SPDX-License-Identifier: Apache-2.0
// Device "cuda": each rank uses one GPU, and the GPUs of a node are assigned to its local ranks
// round-robin.
#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>

#include <iterator>
#include <utility>

#include "trainer/device/core_groups.hpp"
#include "trainer/device/cuda_graph.hpp"
#include "trainer/device/cuda_side_stream.hpp"
#include "trainer/device/device.hpp"
#include "trainer/device/gpu.hpp"

namespace dlscale::trainer {
namespace {

/// Timeline that records CUDA events in the stream of the operators.
class CudaTimeline : public Timeline {
 public:
  explicit CudaTimeline(c10::Device device) : device_(device), gpu_(c10::kCUDA) {}

  void mark() override {
    // The default flags enable the measurement of time between events.
    if (spare_.empty()) spare_.emplace_back(c10::kCUDA, c10::EventFlag::BACKEND_DEFAULT);
    marks_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    marks_.back().record(gpu_.getStream(device_));
  }

  std::vector<double> take_intervals() override {
    if (marks_.empty()) return {};
    marks_.back().synchronize();
    std::vector<double> between_s;
    for (std::size_t i = 1; i < marks_.size(); ++i) {
      // elapsedTime() returns milliseconds.
      between_s.push_back(marks_[i - 1].elapsedTime(marks_[i]) / 1e3);
    }
    const auto last = marks_.end() - 1;
    std::move(marks_.begin(), last, std::back_inserter(spare_));
    marks_.erase(marks_.begin(), last);
    return between_s;
  }

 private:
  c10::Device device_;
  c10::impl::VirtualGuardImpl gpu_;
  std::vector<c10::Event> marks_, spare_;
};

class Cuda : public Device {
 public:
  explicit Cuda(c10::DeviceIndex index) : index_(index) {}
  c10::Device torch_device() const override { return {c10::kCUDA, index_}; }
  void synchronize() override { torch::cuda::synchronize(index_); }
  std::unique_ptr<Timeline> timeline(const base::Clock&) override {
    return std::make_unique<CudaTimeline>(torch_device());
  }
  std::unique_ptr<WorkRecorder> recorder() override { return make_cuda_graph_recorder(index_); }
  std::unique_ptr<SideStream> side_stream() override { return make_cuda_side_stream(index_); }
  double peak_memory_bytes() const override {
    const auto stats = c10::getDeviceAllocator(c10::kCUDA)->getDeviceStats(index_);
    // Index 0 is the total over all allocator pools.
    return static_cast<double>(stats.reserved_bytes[0].peak);
  }
  bool fetches_pinned() const override { return true; }

 private:
  c10::DeviceIndex index_;
};

std::unique_ptr<Device> make(const DeviceContext& context) {
  const int gpu = gpu_of(context.local_rank);
  use_threads(context.cores);
  use_gpu(gpu);
  at::Context& torch = at::globalContext();
  torch.lazyInitDevice(c10::kCUDA);
  // Sets both flags, because LibTorch's defaults enable TF32 in convolutions but not in matrix
  // products.
  torch.setAllowTF32CuDNN(context.tf32);
  torch.setAllowTF32CuBLAS(context.tf32);
  torch.setBenchmarkCuDNN(true);  // benchmarks pay off, as all steps have the same shapes
  return std::make_unique<Cuda>(static_cast<c10::DeviceIndex>(gpu));
}

}  // namespace

extern const DeviceEntry cuda_entry;
const DeviceEntry cuda_entry{.name = "cuda", .summary = "NVIDIA GPUs, one per rank", .make = make};

}  // namespace dlscale::trainer
