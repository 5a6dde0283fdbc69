// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/efficiency.hpp"

namespace dlscale::analysis {

Estimate speedup(const CurvePoint& point, const Baseline& baseline) {
  const std::size_t n = point.seconds_per_sample.size();
  // The speed-up of the baseline relative to itself is exactly 1 and has no interval.
  if (baseline.is(point)) return {1, {}, n};
  return {median(baseline.seconds_per_sample()) / median(point.seconds_per_sample),
          interval_of_ratio(baseline.seconds_per_sample(), point.seconds_per_sample), n};
}

double ideal_speedup(const CurvePoint& point, const Baseline& baseline) {
  return static_cast<double>(point.gpus) / baseline.gpus();
}

Estimate efficiency(const CurvePoint& point, const Baseline& baseline) {
  const double ideal = ideal_speedup(point, baseline);
  Estimate result = speedup(point, baseline);
  result.value /= ideal;
  result.interval.low /= ideal;
  result.interval.high /= ideal;
  return result;
}

std::optional<double> karp_flatt(const CurvePoint& point, const Baseline& baseline) {
  const double p = ideal_speedup(point, baseline);
  if (p <= 1) return std::nullopt;
  return (1 / speedup(point, baseline).value - 1 / p) / (1 - 1 / p);
}

}  // namespace dlscale::analysis
