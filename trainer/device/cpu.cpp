// SPDX-License-Identifier: Apache-2.0
// Device "cpu", which consists of the CPU cores of this rank.
#include <c10/core/Device.h>
#include <sys/resource.h>

#include "trainer/device/core_groups.hpp"
#include "trainer/device/device.hpp"

namespace dlscale::trainer {
namespace {

class Cpu : public Device {
 public:
  c10::Device torch_device() const override { return c10::kCPU; }
  void synchronize() override {}  // operators return when they are done
  std::unique_ptr<Timeline> timeline(const base::Clock& clock) override {
    return make_host_timeline(clock);
  }
  double peak_memory_bytes() const override {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * static_cast<double>(usage.ru_maxrss);  // ru_maxrss is in KiB on Linux
  }
};

std::unique_ptr<Device> make(const DeviceContext& context) {
  use_threads(context.cores);
  return std::make_unique<Cpu>();
}

}  // namespace

extern const DeviceEntry cpu_entry;
const DeviceEntry cpu_entry{"cpu", "processor cores", make};

}  // namespace dlscale::trainer
