// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/selected_runs.hpp"

#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"

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

}  // namespace dlscale::analysis
