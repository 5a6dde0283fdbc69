// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/plan_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/clock.hpp"
#include "base/table_printer.hpp"
#include "base/text.hpp"
#include "planner/jobs/budget.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {
namespace {

double sum_of(const contract::Plan& plan, double contract::PlannedRun::*member) {
  double sum = 0;
  for (const contract::PlannedRun& run : plan.runs) sum += run.*member;
  return sum;
}

/// Returns the number of jobs as text, by kind if there are several kinds: "40 jobs", "12 jobs (8
/// single, 4 arrays)".
std::string count_jobs(const contract::Plan& plan) {
  std::map<contract::JobKind, std::size_t> kinds;
  for (const contract::PlannedJob& job : plan.jobs) ++kinds[job.kind];
  std::string text = base::count_of(plan.jobs.size(), "job");
  if (kinds.size() == kinds.count(contract::JobKind::single)) return text;
  std::vector<std::string> parts;
  for (const auto& [kind, n] : kinds) {
    parts.push_back(kind == contract::JobKind::array ? base::count_of(n, "array")
                                                     : fmt::format("{} {}", n, to_string(kind)));
  }
  return fmt::format("{} ({})", text, fmt::join(parts, ", "));
}

std::string headline(const contract::Plan& plan) {
  const double gpu_hours = sum_of(plan, &contract::PlannedRun::gpu_hours);
  std::string text = fmt::format("{}: {} in {} on {} ({}), {} scaling", plan.study,
                                 base::count_of(plan.runs.size(), "run"), count_jobs(plan),
                                 plan.site, plan.scheduler, plan.scaling);
  if (plan.repeats > 1) text += fmt::format(", {} repetitions", plan.repeats);
  // Without a walltime the GPU-hours have no upper limit.
  if (gpu_hours > 0) text += fmt::format(", at most {} GPU-hours", hours(gpu_hours));
  return text + "\n";
}

/// Returns a line with the predicted time of the longest run and of all runs one after another:
/// "predicted: 2:03:00 (1:50:00 to 2:40:00) for the longest run, 40:00:00 (…) for all runs one
/// after another".
std::string predicted_time(const contract::Plan& plan) {
  const contract::PlannedRun* longest = nullptr;
  std::size_t known = 0;
  contract::PlannedRun all;
  for (const contract::PlannedRun& run : plan.runs) {
    if (run.predicted_s <= 0) continue;
    ++known;
    if (longest == nullptr || run.predicted_s > longest->predicted_s) longest = &run;
    all.predicted_s += run.predicted_s;
    all.predicted_low_s += run.predicted_low_s;
    all.predicted_high_s += run.predicted_high_s;
  }
  if (longest == nullptr) return {};
  const std::string whom =
      known == plan.runs.size() ? "all runs" : fmt::format("the {} runs with a prediction", known);
  return fmt::format("predicted: {} for the longest run, {} for {} one after another\n",
                     predicted_text(*longest), predicted_text(all), whom);
}

std::string point_table(const contract::Plan& plan) {
  std::unordered_map<std::string_view, int> nodes;  // number of nodes by job
  for (const auto& job : plan.jobs) nodes[job.name] = job.resources.nodes;
  using Point = std::tuple<int, int, std::int64_t, std::int64_t, double>;
  std::map<Point, std::pair<int, std::string>> points;  // number of runs, and batch/GPU as text
  for (const auto& run : plan.runs) {
    auto& [runs, per_gpu] =
        points[{run.gpus, nodes[run.job], run.batch_per_gpu, run.global_batch, run.lr_peak}];
    ++runs;
    per_gpu = contract::batch_per_gpu_text(run);
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [point, shown] : points) {
    const auto& [gpus, on_nodes, largest, global, lr] = point;
    rows.push_back({std::to_string(gpus), std::to_string(on_nodes), shown.second,
                    std::to_string(global), lr > 0 ? fmt::format("{:.6g}", lr) : kUnknownFact,
                    std::to_string(shown.first)});
  }
  return base::print_table({"GPUs", "nodes", "batch/GPU", "global batch", "peak LR", "runs"}, rows);
}

/// Sorts the values of each axis. An axis of numbers is sorted by value. The values of other axes
/// keep the order of the plan.
void sort_numbers(std::vector<planner::FacetCost>& costs) {
  std::map<std::string, bool> numeric;  // true for each axis that has only numbers
  for (const auto& [axis, value, runs, gpu_hours] : costs) {
    const bool is_number = base::number_of<double>(value).has_value();
    const auto known = numeric.emplace(axis, is_number).first;
    known->second = known->second && is_number;
  }
  std::stable_sort(costs.begin(), costs.end(), [&](const auto& a, const auto& b) {
    if (a.axis != b.axis) return a.axis < b.axis;
    return numeric[a.axis] && *base::number_of<double>(a.value) < *base::number_of<double>(b.value);
  });
}

/// Returns a line for each axis whose values have different costs: "GPU-hours by gpus: 4: 12, 8:
/// 24".
std::string facet_costs(const contract::Plan& plan) {
  if (sum_of(plan, &contract::PlannedRun::gpu_hours) == 0) return {};
  std::map<std::string, std::vector<std::string>> parts;
  std::vector<planner::FacetCost> costs = planner::cost_by_facet(plan);
  sort_numbers(costs);
  for (const planner::FacetCost& facet : costs) {
    parts[facet.axis].push_back(fmt::format("{}: {}", facet.value, hours(facet.gpu_hours)));
  }
  std::string text;
  for (const contract::Axis& axis : plan.axes) {
    if (parts[axis.name].size() < 2) continue;
    text += fmt::format("GPU-hours by {}: {}\n", axis.name, fmt::join(parts[axis.name], ", "));
  }
  return text;
}

/// Returns the reasons why points were skipped, with the number of points for each reason, in the
/// order in which the reasons first occur.
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
    text += fmt::format("skipped {}: {}\n", base::count_of(n, "point"), why);
  }
  return text;
}

}  // namespace

void print_plan_summary(const contract::Plan& plan, std::ostream& out) {
  out << headline(plan) << predicted_time(plan) << '\n' << point_table(plan);
  const std::string costs = facet_costs(plan);
  if (!costs.empty()) out << '\n' << costs;
  const std::string skipped = skipped_points(plan);
  if (!skipped.empty()) out << '\n' << skipped;
  if (!plan.warnings.empty()) out << '\n';
  for (const std::string& warning : plan.warnings) out << "warning: " << warning << '\n';
}

std::string describe_written(const planner::WrittenPlan& written, const contract::PlanDir& out,
                             bool dry_run) {
  std::string text;
  for (const std::string& run : written.stale) {
    text += fmt::format(
        "stale: {} has results from an earlier version of the study; its files are unchanged\n",
        run);
  }
  return text + fmt::format("{}: {} files {}written, {} unchanged\n", out.root().string(),
                            written.written, dry_run ? "would be " : "", written.unchanged);
}

}  // namespace dlscale::workspace
