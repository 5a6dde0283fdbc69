// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/kernel_timer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dlscale::trainer {
namespace {

constexpr double kNormal95 = 1.96;
constexpr std::size_t kFewestForInterval = 6;  // the range of 5 values is only a 93.8 % interval

double middle_of(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

Timing timing_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto n = static_cast<double>(seconds.size());
  Timing timing{.median_s = middle_of(seconds),
                .least_s = seconds.front(),
                .most_s = seconds.back(),
                .mean_s = std::accumulate(seconds.begin(), seconds.end(), 0.0) / n,
                .values = static_cast<int>(seconds.size())};
  if (seconds.size() > 1) {
    double squares = 0;
    for (const double each : seconds) squares += std::pow(each - timing.mean_s, 2);
    timing.deviation_s = std::sqrt(squares / (n - 1));
  }
  if (seconds.size() >= kFewestForInterval) {
    // The interval limits are order statistics of the sorted values. Their ranks follow from the
    // normal approximation of the binomial distribution, for example ranks 1 and 6 of 6 values,
    // ranks 2 and 9 of 10 values, and ranks 6 and 15 of 20 values.
    const auto below =
        static_cast<std::size_t>(std::max(0.0, std::floor((n - kNormal95 * std::sqrt(n)) / 2)));
    timing.low_s = seconds[below];
    timing.high_s = seconds[seconds.size() - 1 - below];
  }
  return timing;
}

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

KernelTiming time_kernel(const KernelCall& call, Device& device, double seconds, int repetitions,
                         const base::Clock& clock) {
  seconds_of(call, 1, device, clock);  // allocates memory and selects an algorithm
  const double first_s = std::max(seconds_of(call, 1, device, clock), 1e-9);
  KernelTiming timing;
  if (repetitions == 0) {
    timing.calls =
        static_cast<int>(std::clamp(std::ceil(kBlock_s / first_s), 1.0, kMostCallsOfBlock));
  }
  std::vector<double> each;
  const double start_s = clock.steady_s();
  const auto goes_on = [&] {
    if (repetitions > 0) return each.size() < static_cast<std::size_t>(repetitions);
    return each.size() < kFewestBlocks ||
           (clock.steady_s() - start_s < seconds && each.size() < kMostBlocks);
  };
  while (goes_on()) {
    each.push_back(seconds_of(call, timing.calls, device, clock) / timing.calls);
  }
  timing.each = timing_of(std::move(each));
  return timing;
}

}  // namespace dlscale::trainer
