// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/recommendation.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kDevice = "device";

bool is_on_cpus(const ScalingCurve& curve) {
  const auto& conditions = curve.points.front().repeats.front()->conditions;
  const auto device = conditions.find(kDevice);
  return device != conditions.end() && device->second == "cpu";
}

/// Returns the GPU count of the point with the smallest time per sample. `time` summarises the
/// repeats of a point.
int best_count(const std::vector<Contestant>& all, double (*time)(const std::vector<double>&)) {
  return std::ranges::min_element(
             all, {}, [&](const Contestant& one) { return time(one.seconds_per_sample); })
      ->gpus;
}

CurveKey work_of(const CurveKey& key) {
  CurveKey work;
  std::copy_if(key.begin(), key.end(), std::back_inserter(work),
               [](const AxisValue& entry) { return changes_work(entry.axis); });
  return work;
}

/// Returns the p value of the hypothesis that all samples have the same distribution. For two
/// samples, Kruskal and Wallis' test is an approximation of Mann and Whitney's test. The list of
/// points as fast as the fastest comes from Mann and Whitney's test, so the p value comes from this
/// test too and cannot contradict the list.
double p_of_equality(const std::vector<std::vector<double>>& samples) {
  if (samples.size() == 2) return mann_whitney(samples[0], samples[1]).p;
  return kruskal_wallis(samples).p;
}

/// Returns the recommendation for a work and a budget. `candidates` are the points within the
/// budget. They must ascend in GPU count and not be empty.
Recommendation recommend(const CurveKey& work, int budget,
                         const std::vector<Contestant>& candidates) {
  const auto fastest = std::min_element(
      candidates.begin(), candidates.end(), [](const Contestant& a, const Contestant& b) {
        return median(a.seconds_per_sample) < median(b.seconds_per_sample);
      });
  Recommendation result{work, budget, *fastest, {}, {}, std::nullopt};
  std::vector<double> p;
  std::vector<std::vector<double>> samples;
  std::vector<const Contestant*> tested;
  const std::size_t n = fastest->seconds_per_sample.size();
  for (const Contestant& one : candidates) {
    samples.push_back(one.seconds_per_sample);
    if (&one == &*fastest) continue;
    if (smallest_p(n, one.seconds_per_sample.size()) > kWrongVerdicts) {
      result.untested.push_back(one);
      continue;
    }
    tested.push_back(&one);
    p.push_back(mann_whitney(one.seconds_per_sample, fastest->seconds_per_sample).p);
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (adjusted[i] > kWrongVerdicts) result.as_fast.push_back(*tested[i]);
  }
  const bool any_repeats = std::any_of(samples.begin(), samples.end(),
                                       [](const auto& values) { return values.size() > 1; });
  if (samples.size() > 1 && any_repeats) result.equal_p = p_of_equality(samples);
  return result;
}

}  // namespace

std::vector<Recommendation> recommendations(const std::vector<ScalingCurve>& curves) {
  struct Group {
    CurveKey work;
    std::vector<Contestant> all;
    std::set<int> budgets;
  };
  std::vector<Group> groups;  // groups in the order of their first curves
  std::unordered_map<std::string, std::size_t> places;
  const auto on_cpus = std::ranges::count_if(curves, &is_on_cpus);
  const bool both_devices = on_cpus > 0 && static_cast<std::size_t>(on_cpus) < curves.size();
  for (const ScalingCurve& curve : curves) {
    CurveKey work = work_of(curve.key);
    if (both_devices) work.push_back({kDevice, is_on_cpus(curve) ? "cpu" : "gpu"});
    // A GPU of one machine cannot replace a GPU of another machine, so each plan folder has its own
    // recommendations.
    const std::string& source = curve.points.front().repeats.front()->source;
    if (!source.empty()) work.push_back({kSource, source});
    const auto [place, is_new] = places.try_emplace(to_string(work), groups.size());
    if (is_new) groups.push_back({std::move(work), {}, {}});
    Group& group = groups[place->second];
    for (const CurvePoint& point : curve.points) {
      group.all.push_back({curve.key, point.gpus, point.seconds_per_sample});
      group.budgets.insert(point.gpus);
    }
  }
  std::vector<Recommendation> list;
  for (auto& [work, all, budgets] : groups) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Contestant& a, const Contestant& b) { return a.gpus < b.gpus; });
    const int best = best_count(all, [](const auto& times) { return median(times); });
    const int best_by_mean = best_count(all, [](const auto& times) { return mean(times); });
    for (const int budget : budgets) {
      const auto end = std::find_if(all.begin(), all.end(),
                                    [&](const Contestant& one) { return one.gpus > budget; });
      list.push_back(recommend(work, budget, {all.begin(), end}));
      list.back().best_gpus = best;
      list.back().best_gpus_by_mean = best_by_mean;
    }
  }
  return list;
}

}  // namespace dlscale::analysis
