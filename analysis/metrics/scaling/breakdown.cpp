// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/breakdown.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

namespace {

std::optional<double> load_wait_per_step(const RunRow& run) {
  if (!tells(run, contract::StepPart::load_wait) || !run.steps.tells_steps) return std::nullopt;
  return run.steps.parts_s[static_cast<std::size_t>(contract::StepPart::load_wait)] /
         static_cast<double>(run.steps.steps);
}

std::optional<double> loader_busy_per_step(const RunRow& run) {
  const auto found = run.counters.find("loader_busy_s");
  return found == run.counters.end() ? std::nullopt : std::optional(found->second);
}

/// Returns the mean over the repeats of `per_step` times the steps of an epoch. Repeats without one
/// of the two numbers are left out.
std::optional<double> mean_per_epoch(const CurvePoint& point,
                                     std::optional<double> (*per_step)(const RunRow&)) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) {
    const std::optional<double> value = per_step(*run);
    if (!value || run->size.steps_per_epoch <= 0) continue;
    values.push_back(*value * static_cast<double>(run->size.steps_per_epoch));
  }
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

}  // namespace

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
      std::array<bool, contract::kStepParts> reported{};
      bool has_named_part = false;
      for (std::size_t i = 0; i < reported.size(); ++i) {
        const auto part = static_cast<contract::StepPart>(i);
        reported[i] = tells(point.repeats, part);
        has_named_part = has_named_part || (reported[i] && part != contract::StepPart::other);
      }
      if (!has_named_part) continue;
      result.push_back({.key = curve.key,
                        .gpus = point.gpus,
                        .n = point.repeats.size(),
                        .step_time_s = wall_s / static_cast<double>(steps),
                        .share = parts,
                        .closure = sum / wall_s,
                        .reported = reported,
                        .load_wait_s_per_epoch = mean_per_epoch(point, &load_wait_per_step),
                        .loader_busy_s_per_epoch = mean_per_epoch(point, &loader_busy_per_step),
                        .tells_steps = tells_steps(point.repeats)});
    }
  }
  return result;
}

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

double published_values_per_epoch(double samples, double global_batch, double parameters) {
  return samples / global_batch * parameters;
}

double ring_bytes_per_epoch(double steps, int gpus, double parameters, double bytes_per_value) {
  return steps * 2 * (gpus - 1) / gpus * parameters * bytes_per_value;
}

}  // namespace dlscale::analysis
