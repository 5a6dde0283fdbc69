// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/kernel_timer.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dlscale::trainer {
namespace {

constexpr double kBlock_s = 1e-3;
constexpr double kMostCallsOfBlock = 1000;
constexpr std::size_t kFewestBlocks = 5, kMostBlocks = 1000;

double seconds_of(const KernelCall& call, int calls, Device& device, const base::Clock& clock) {
  const double start_s = clock.steady_s();
  for (int i = 0; i < calls; ++i) call();
  device.synchronize();
  return clock.steady_s() - start_s;
}

}  // namespace

KernelTiming time_kernel(const KernelCall& call, Device& device, double seconds,
                         const base::Clock& clock) {
  seconds_of(call, 1, device, clock);  // memory is taken, an algorithm chosen
  const double first_s = std::max(seconds_of(call, 1, device, clock), 1e-9);
  KernelTiming timing;
  timing.calls =
      static_cast<int>(std::clamp(std::ceil(kBlock_s / first_s), 1.0, kMostCallsOfBlock));
  std::vector<double> each;
  const double start_s = clock.steady_s();
  while (each.size() < kFewestBlocks ||
         (clock.steady_s() - start_s < seconds && each.size() < kMostBlocks)) {
    each.push_back(seconds_of(call, timing.calls, device, clock) / timing.calls);
  }
  timing.each = timing_of(std::move(each));
  return timing;
}

}  // namespace dlscale::trainer
