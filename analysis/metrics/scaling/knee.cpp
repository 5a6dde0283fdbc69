// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/knee.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "analysis/metrics/scaling/run_points.hpp"
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
  // Batches are computed from the global batch at the largest GPU count, because rounding down
  // changes the largest batch least.
  const CurvePoint& last = curve.points.back();
  const auto last_batch = static_cast<double>(last.repeats.front()->global_batch);
  if (last_batch <= 0) return {};  // the number of samples in a step is unknown
  std::vector<LawPrediction> predictions;
  for (const double gpus : counts) {
    const double batch = data.work == Work::Fixed ? last_batch : last_batch * gpus / last.gpus;
    const double at_1_s = batch * median(baseline.seconds_per_sample());
    const Prediction at = average.predict(gpus);
    predictions.push_back({gpus, at_1_s / at.time, at_1_s / at.high, at_1_s / at.low});
  }
  return predictions;
}

namespace {

constexpr int kResamples = 2000;
// Seed of the bootstrap. It is fixed so that the same measurements always give the same interval.
constexpr std::uint64_t kKneeSeed = 5;

/// Points among which the knee is searched: the GPU count and the values of the repeats of each
/// point. The reference is first, and the other points follow by ascending GPU count.
struct Judged {
  std::vector<int> gpus;
  std::vector<std::vector<double>> repeats;
};

/// Function that returns true if the point with the index `place` meets the demand. `medians` holds
/// the median of each point.
using Demand = std::function<bool(const std::vector<double>& medians, std::size_t place)>;

std::vector<double> medians_of(const std::vector<std::vector<double>>& repeats) {
  std::vector<double> medians;
  for (const std::vector<double>& values : repeats) medians.push_back(median(values));
  return medians;
}

/// Returns the largest index such that the point with this index and all points before it meet the
/// demand. The reference at index 0 always meets the demand.
std::size_t last_place(const std::vector<double>& medians, const Demand& meets) {
  std::size_t place = 0;
  while (place + 1 < medians.size() && meets(medians, place + 1)) ++place;
  return place;
}

Knee find_knee(const Judged& judged, const Demand& meets) {
  const std::size_t place = last_place(medians_of(judged.repeats), meets);
  Knee knee{judged.gpus[place], place + 1 == judged.gpus.size(), {}, {}, 0};
  const bool few = std::any_of(judged.repeats.begin(), judged.repeats.end(),
                               [](const auto& of) { return of.size() < kFewestForInterval; });
  if (few) return knee;
  std::mt19937_64 engine(kKneeSeed);
  std::vector<std::size_t> places;
  std::vector<std::vector<double>> drawn = judged.repeats;
  for (int i = 0; i < kResamples; ++i) {
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const std::vector<double>& from = judged.repeats[k];
      for (double& value : drawn[k]) value = from[engine() % from.size()];
    }
    places.push_back(last_place(medians_of(drawn), meets));
  }
  std::sort(places.begin(), places.end());
  const auto tail = static_cast<std::size_t>(kResamples * 0.025);
  knee.low = judged.gpus[places[tail]];
  knee.high = judged.gpus[places[places.size() - 1 - tail]];
  const auto same = std::count(places.begin(), places.end(), place);
  knee.support = static_cast<double>(same) / kResamples;
  return knee;
}

}  // namespace

Baseline knee_reference(const ScalingCurve& curve, const Baseline& baseline) {
  return baseline.is_own() ? Baseline(curve.points.front()) : baseline;
}

Knee efficiency_knee(const ScalingCurve& curve, const Baseline& baseline, double efficiency) {
  const Baseline reference = knee_reference(curve, baseline);
  // The reference can belong to another curve. The first GPU count in `judged` is therefore the
  // smaller one of two counts: the reference's GPU count and the curve's smallest GPU count. This
  // count is the knee if no point meets the demand.
  Judged judged{{std::min(reference.gpus(), curve.points.front().gpus)},
                {reference.seconds_per_sample()}};
  for (const CurvePoint& point : curve.points) {
    if (reference.is(point)) continue;
    judged.gpus.push_back(point.gpus);
    judged.repeats.push_back(point.seconds_per_sample);
  }
  return find_knee(judged, [&](const std::vector<double>& medians, std::size_t place) {
    const double ideal = static_cast<double>(judged.gpus[place]) / reference.gpus();
    return medians[0] / medians[place] >= efficiency * ideal;
  });
}

Knee accuracy_knee(const std::vector<AccuracyPoint>& points, double loss) {
  Judged judged;
  for (const AccuracyPoint& point : points) {
    judged.gpus.push_back(point.gpus);
    std::vector<double>& accuracies = judged.repeats.emplace_back();
    for (const RunRow* run : point.repeats) accuracies.push_back(final_accuracy(*run));
  }
  return find_knee(judged, [&](const std::vector<double>& medians, std::size_t place) {
    return medians[place] >= medians[0] - loss;
  });
}

}  // namespace dlscale::analysis
