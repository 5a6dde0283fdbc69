// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/gpu_watch.hpp"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <map>
#include <set>

namespace dlscale::trainer {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;

class GpuWatch : public KernelWatch {
 public:
  GpuWatch() {
    const std::set<ActivityType> activities{ActivityType::CUDA};
    const torch::profiler::impl::ProfilerConfig config(
        torch::profiler::impl::ProfilerState::KINETO);
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
  }
  ~GpuWatch() override {
    if (watching_) profiler::disableProfiler();
  }

  std::vector<KernelTime> stop() override {
    watching_ = false;
    const auto found = profiler::disableProfiler();
    std::map<std::string, KernelTime> kernels;
    for (const profiler::KinetoEvent& event : found->events()) {
      if (event.deviceType() != c10::DeviceType::CUDA) continue;
      KernelTime& kernel = kernels[event.name()];
      ++kernel.calls;
      kernel.self_s += 1e-9 * static_cast<double>(event.durationNs());
    }
    std::vector<KernelTime> all;
    for (auto& [name, kernel] : kernels) {
      all.push_back({name, kind_of(name), kernel.calls, kernel.self_s});
    }
    return all;
  }

 private:
  bool watching_ = true;
};

}  // namespace

std::unique_ptr<KernelWatch> make_gpu_watch() {
  return std::make_unique<GpuWatch>();
}

}  // namespace dlscale::trainer
