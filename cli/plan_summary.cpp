// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include "base/table_printer.hpp"

namespace dlscale::cli {
namespace {

std::string count(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string headline(const contract::Plan& plan) {
  double gpu_hours = 0;
  for (const auto& run : plan.runs) gpu_hours += run.gpu_hours;
  std::string text =
      fmt::format("{}: {} in {} on {} ({}), {} scaling", plan.study, count(plan.runs.size(), "run"),
                  count(plan.jobs.size(), "job"), plan.site, plan.scheduler, plan.scaling);
  if (plan.repeats > 1) text += fmt::format(", {} repetitions", plan.repeats);
  // Without a walltime there is no bound to state.
  if (gpu_hours > 0) text += fmt::format(", at most {:.0f} GPU-hours", gpu_hours);
  return text + "\n";
}

std::string point_table(const contract::Plan& plan) {
  std::map<int, int> nodes;
  for (const auto& job : plan.jobs) {
    const auto& resources = job.resources;
    nodes[resources.nodes * resources.ranks_per_node] = resources.nodes;
  }
  std::map<std::tuple<int, std::int64_t, std::int64_t, double>, int> points;
  for (const auto& run : plan.runs) {
    ++points[{run.gpus, run.batch_per_gpu, run.global_batch, run.lr_peak}];
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [point, runs] : points) {
    const auto& [gpus, per_gpu, global, lr] = point;
    rows.push_back({std::to_string(gpus), std::to_string(nodes[gpus]), std::to_string(per_gpu),
                    std::to_string(global), fmt::format("{:.6g}", lr), std::to_string(runs)});
  }
  return base::print_table({"GPUs", "nodes", "batch/GPU", "global batch", "peak LR", "runs"}, rows);
}

/// Reasons with their counts, in the order they first appear.
std::string skipped_points(const contract::Plan& plan) {
  std::vector<std::pair<std::string, int>> reasons;
  for (const auto& point : plan.skipped) {
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& reason) { return reason.first == point.why; });
    if (known == reasons.end()) {
      reasons.emplace_back(point.why, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [why, n] : reasons) {
    text += fmt::format("skipped {}: {}\n", count(static_cast<std::size_t>(n), "point"), why);
  }
  return text;
}

}  // namespace

void print_plan_summary(const contract::Plan& plan, std::ostream& out) {
  out << headline(plan) << '\n' << point_table(plan);
  const std::string skipped = skipped_points(plan);
  if (!skipped.empty()) out << '\n' << skipped;
  if (!plan.warnings.empty()) out << '\n';
  for (const std::string& warning : plan.warnings) out << "warning: " << warning << '\n';
}

}  // namespace dlscale::cli
