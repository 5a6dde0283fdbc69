// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/timing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dlscale::trainer {
namespace {

constexpr double kNormal95 = 1.96;
constexpr std::size_t kFewestForInterval = 6;  // the range of 5 values covers 93.8 %

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
    // Binomial, by the normal approximation: ranks 1-6 of 6, 2-9 of 10, 6-15 of 20.
    const auto below =
        static_cast<std::size_t>(std::max(0.0, std::floor((n - kNormal95 * std::sqrt(n)) / 2)));
    timing.low_s = seconds[below];
    timing.high_s = seconds[seconds.size() - 1 - below];
  }
  return timing;
}

}  // namespace dlscale::trainer
