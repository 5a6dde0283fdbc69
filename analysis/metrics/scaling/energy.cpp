// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/energy.hpp"

#include <cmath>
#include <vector>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

std::optional<double> job_energy_j(const RunRow& run) {
  if (!run.job || !std::isfinite(run.job->energy_j) || run.job->energy_j <= 0) return std::nullopt;
  return run.job->energy_j;
}

std::optional<double> mean_power_w(const RunRow& run) {
  const std::optional<double> energy = job_energy_j(run);
  if (!energy || !(run.job->elapsed_s > 0)) return std::nullopt;
  return *energy / run.job->elapsed_s;
}

PointEnergy energy_of(const CurvePoint& point) {
  std::vector<double> energies, powers, each;
  for (const RunRow* run : point.repeats) {
    const std::optional<double> power = mean_power_w(*run);
    if (!power) continue;
    energies.push_back(*job_energy_j(*run));
    powers.push_back(*power);
    each.push_back(*power * seconds_per_sample(*run));
  }
  if (energies.empty()) return {};
  return {energies.size(), median(energies), median(powers), median(each)};
}

}  // namespace dlscale::analysis
