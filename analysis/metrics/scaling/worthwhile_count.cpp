// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/worthwhile_count.hpp"

#include "analysis/metrics/scaling/efficiency.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the low and the high end of the interval, or the value itself without an interval.
Interval ends_of(const Estimate& estimate) {
  if (estimate.interval.kind != Interval::Kind::None) return estimate.interval;
  return {Interval::Kind::None, estimate.value, estimate.value};
}

}  // namespace

std::optional<WorthwhileCount> worthwhile_count(const ScalingCurve& curve, const Baseline& baseline,
                                                double min_efficiency) {
  WorthwhileCount result{.gpus = baseline.gpus()};
  for (const CurvePoint& point : curve.points) {
    if (point.gpus < baseline.gpus() || baseline.is(point)) continue;
    const Estimate value = efficiency(point, baseline);
    const Interval ends = ends_of(value);
    result.is_proven = result.is_proven && ends.kind == Interval::Kind::Confidence95;
    if (ends.low < min_efficiency) {
      result.beyond = {point.gpus, value};
      result.is_beyond_unclear = ends.high >= min_efficiency;
      break;
    }
    result.gpus = point.gpus;
    result.at_count = {point.gpus, value};
    result.speedup = speedup(point, baseline).value;
  }
  if (!result.at_count && !result.beyond) return std::nullopt;
  return result;
}

}  // namespace dlscale::analysis
