// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/selected_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

void keep_runs(Frame& frame, const std::set<std::string>& run_ids, contract::BaselineRule& rule) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  for (contract::BaselineRule* kept : {&rule, &frame.baseline}) {
    if (kept->rule == "smallest-common") kept->gpus = smallest_common_gpus(curves);
  }
  for (const ScalingCurve& curve : curves) {
    frame.first_gpus[to_string(curve.key)] = curve.first_gpus;
  }
  frame.spread_curves = CurveKeys(frame).spread();
  std::erase_if(frame.runs, [&](const RunRow& run) { return !run_ids.contains(run.run_id); });
}

namespace {

std::set<std::string> outlying_runs(const Frame& frame, OutlierPolicy policy) {
  std::set<std::string> outlying;
  for (const ScalingCurve& curve : scaling_curves(frame)) {
    for (const CurvePoint& point : curve.points) {
      std::vector<const RunRow*> repeats = point.repeats;
      std::stable_sort(repeats.begin(), repeats.end(), [](const RunRow* a, const RunRow* b) {
        return a->repetition < b->repetition;
      });
      std::vector<double> times;
      for (const RunRow* run : repeats) times.push_back(seconds_per_sample(*run));
      for (const std::size_t i : left_out(times, policy)) outlying.insert(repeats[i]->run_id);
    }
  }
  return outlying;
}

}  // namespace

void leave_out_outliers(Frame& frame, OutlierPolicy policy) {
  if (policy == OutlierPolicy::None) return;
  const std::set<std::string> outlying = outlying_runs(frame, policy);
  std::erase_if(frame.runs, [&](const RunRow& run) { return outlying.contains(run.run_id); });
  frame.outliers = fmt::format("outliers ({}): {} left out", to_string(policy),
                               base::count_of(outlying.size(), "run"));
  if (!outlying.empty()) frame.outliers += fmt::format(": {}", fmt::join(outlying, ", "));
}

}  // namespace dlscale::analysis
