// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/step_law.hpp"

#include <algorithm>

#include "analysis/metrics/scaling/recorded.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

bool tells_step_times(const ScalingCurve& curve) {
  return std::all_of(curve.points.begin(), curve.points.end(),
                     [](const CurvePoint& point) { return tells_steps(point.repeats); });
}

LawData step_times(const ScalingCurve& curve) {
  LawData data{keeps_global_batch(curve.key) ? Work::Fixed : Work::PerGpu, {}};
  for (const CurvePoint& point : curve.points) {
    std::vector<double> times;
    for (const RunRow* run : point.repeats) times.push_back(step_time_s(*run));
    data.points.push_back({static_cast<double>(point.gpus), median(times)});
  }
  return data;
}

std::vector<LawPrediction> predicted_speedups(const ScalingCurve& curve, const Baseline& baseline) {
  if (curve.points.size() < kFewestForLaws || !tells_step_times(curve)) return {};
  const LawAverage average(step_times(curve));
  const LawData& data = average.data();
  std::vector<double> counts;
  for (const LawPoint& point : data.points) counts.push_back(point.gpus);
  for (double times = 2; times <= kTrustedReach; times *= 2) {
    counts.push_back(times * data.last_gpus());
  }
  // Of the largest count: batches that were rounded down differ least from the others' there.
  const CurvePoint& last = curve.points.back();
  const auto last_batch = static_cast<double>(last.repeats.front()->global_batch);
  if (last_batch <= 0) return {};  // nobody says of how many samples a step is
  std::vector<LawPrediction> predictions;
  for (const double gpus : counts) {
    const double batch = data.work == Work::Fixed ? last_batch : last_batch * gpus / last.gpus;
    const double at_1_s = batch * median(baseline.seconds_per_sample());
    const Prediction at = average.predict(gpus);
    predictions.push_back({gpus, at_1_s / at.time, at_1_s / at.high, at_1_s / at.low});
  }
  return predictions;
}

}  // namespace dlscale::analysis
