// SPDX-License-Identifier: Apache-2.0
#include "analysis/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/metrics/statistics/summary.hpp"
#include "contract/records/software_record.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::analysis {

std::pair<std::string, std::string> shown_values(const std::string& condition, const RunRow& a,
                                                 const RunRow& b) {
  if (condition == "packages" && a.packages && b.packages) {
    contract::PackageDifference packages =
        contract::difference_of_packages(*a.packages, *b.packages);
    if (!packages.first.empty()) return {std::move(packages.first), std::move(packages.second)};
  }
  return {a.conditions.at(condition), b.conditions.at(condition)};
}

bool completed(const RunRow& run) {
  return run.outcome == contract::to_string(contract::RunOutcome::Completed);
}

bool diverged(const RunRow& run) {
  return run.outcome == contract::to_string(contract::RunOutcome::Diverged);
}

bool has_measurements(const RunRow& run) {
  const bool has_steps = run.steps.steps > 0 || run.steps.samples > 0 || run.steps.wall_s > 0;
  return has_steps || !run.epochs.empty() || !run.evals.empty() || !run.metrics.empty() ||
         !run.targets.empty() || !run.inference.empty() || !run.ranks.empty() ||
         !run.profiles.empty() || !run.counters.empty() || !run.collectives.empty() ||
         run.job.has_value();
}

bool has_throughput(const RunRow& run) {
  return completed(run) && run.steps.steps > 0 && run.steps.samples > 0 && run.steps.wall_s > 0;
}

bool has_accuracy(const RunRow& run) {
  const bool has_classes = run.task.empty() || run.task == "classification";
  return has_classes && completed(run) && !run.evals.empty() && std::isfinite(final_accuracy(run));
}

double seconds_per_sample(const RunRow& run) {
  return run.steps.wall_s / static_cast<double>(run.steps.samples);
}

double step_time_s(const RunRow& run) {
  return run.steps.wall_s / static_cast<double>(run.steps.steps);
}

std::optional<double> epoch_time_s(const RunRow& run) {
  std::vector<double> times;
  for (const EpochRow& epoch : run.epochs) {
    // The last epoch of a run with a given number of steps may be incomplete.
    if (epoch.steps > 0 && epoch.steps < run.size.steps_per_epoch) continue;
    if (epoch.wall_s > 0) times.push_back(epoch.wall_s);  // some logs omit epoch times
  }
  if (times.empty()) return std::nullopt;
  if (times.size() > 1) times.erase(times.begin());
  return median(times);
}

double final_accuracy(const RunRow& run) {
  return run.evals.back().accuracy;
}

double best_accuracy(const RunRow& run) {
  const auto best =
      std::max_element(run.evals.begin(), run.evals.end(),
                       [](const EvalRow& a, const EvalRow& b) { return a.accuracy < b.accuracy; });
  return best->accuracy;
}

std::string worker_noun(const Frame& frame) {
  std::size_t on_cpus = 0, unreadable = 0;
  for (const RunRow& run : frame.runs) {
    const auto device = run.conditions.find("device");
    if (device == run.conditions.end()) {
      unreadable += run.outcome == kUnreadable ? 1 : 0;
    } else {
      on_cpus += device->second == "cpu" ? 1 : 0;
    }
  }
  if (on_cpus + unreadable == frame.runs.size()) return "rank";
  return on_cpus > 0 ? "worker" : "GPU";
}

}  // namespace dlscale::analysis
