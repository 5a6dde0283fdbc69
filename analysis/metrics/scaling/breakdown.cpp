// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/breakdown.hpp"

#include <numeric>

#include "analysis/metrics/scaling/recorded.hpp"

namespace dlscale::analysis {

std::vector<Breakdown> breakdowns(const std::vector<ScalingCurve>& curves) {
  std::vector<Breakdown> result;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      std::array<double, contract::kStepParts> parts{};
      double wall_s = 0;
      std::int64_t steps = 0;
      for (const RunRow* run : point.repeats) {
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] += run->steps.parts_s[i];
        wall_s += run->steps.wall_s;
        steps += run->steps.steps;
      }
      const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
      if (!(sum > 0)) continue;
      for (double& part : parts) part /= sum;
      std::array<bool, contract::kStepParts> told{};
      for (std::size_t i = 0; i < told.size(); ++i) {
        told[i] = tells(point.repeats, static_cast<contract::StepPart>(i));
      }
      result.push_back({curve.key, point.gpus, point.repeats.size(),
                        wall_s / static_cast<double>(steps), parts, sum / wall_s, told,
                        tells_steps(point.repeats)});
    }
  }
  return result;
}

}  // namespace dlscale::analysis
