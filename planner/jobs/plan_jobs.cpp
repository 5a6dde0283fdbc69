// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/plan_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/jobs/budget.hpp"
#include "planner/jobs/pack.hpp"
#include "planner/site/run_paths.hpp"

namespace dlscale::planner {

contract::RunSpec Planning::run(std::size_t i) const {
  const std::size_t at = i / static_cast<std::size_t>(study.repeats);
  contract::RunSpec run = expansion.points[at].run;
  run.repetition = plan.runs[i].repetition;
  run.run_id = plan.runs[i].run_id;
  fill_in_paths(run, site.variables);
  return run;
}

namespace {

std::vector<std::string> arrange(Planning& planning,
                                 std::span<const contract::PlannedJob> existing) {
  const auto repeats = static_cast<std::size_t>(planning.study.repeats);
  std::vector<RunNeeds> needs;
  needs.reserve(planning.plan.runs.size());
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const Point& point = planning.expansion.points[i / repeats];
    needs.push_back(
        {&planning.allocations[i / repeats], &planning.study.matrices[point.resources].resources});
  }
  const StartOrder order =
      planning.study.order == "points" ? StartOrder::points : StartOrder::repetitions;
  Arrangement arranged = arrange_jobs(planning.site, planning.study.launch, needs,
                                      planning.plan.runs, existing, order);
  planning.plan.jobs = std::move(arranged.jobs);
  planning.job_runs = std::move(arranged.runs);
  return std::move(arranged.notes);
}

/// Removes points and their runs from the plan, and lists the points as skipped.
void skip(Planning& planning, const std::vector<Dropped>& dropped) {
  const auto repeats = static_cast<std::size_t>(planning.study.repeats);
  std::set<std::size_t> out;
  for (const Dropped& point : dropped) {
    planning.plan.skipped.push_back({planning.plan.runs[point.first_run].point, point.why});
    out.insert(point.first_run / repeats);
  }
  const auto keep = [&](auto& list, std::size_t per_point) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (out.count(i / per_point) > 0) continue;
      if (kept != i) list[kept] = std::move(list[i]);
      ++kept;
    }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
  };
  keep(planning.expansion.points, 1);
  keep(planning.allocations, 1);
  keep(planning.plan.runs, repeats);
}

double limit_of(const config::Item& item, const contract::Plan& plan) {
  const bool bounded = std::all_of(plan.runs.begin(), plan.runs.end(),
                                   [](const auto& run) { return run.gpu_hours > 0; });
  if (!bounded)
    item.fail("cannot be checked because neither the study nor the site sets a walltime");
  return item.number(0);
}

/// Returns the budget in GPU-hours, which applies to the whole plan. Throws base::SpecError if
/// sub-studies set different budgets.
const std::optional<config::Node>& budget_of(const Study& study) {
  const std::optional<config::Node>& budget = study.matrices.front().resources.max_gpu_hours;
  for (const Matrix& matrix : study.matrices) {
    const std::optional<config::Node>& other = matrix.resources.max_gpu_hours;
    if (budget.has_value() == other.has_value() &&
        (!budget || config::to_text(*budget) == config::to_text(*other))) {
      continue;
    }
    config::Item{other ? *other : *budget, "resources.max_gpu_hours"}.fail(
        "applies to the whole plan; set it in [resources] of the study, not in a sub-study");
  }
  return budget;
}

/// Returns the GPU count of the baseline, which --fit keeps in addition to the ends of each curve.
/// Returns 0 if the baseline is not a fixed GPU count.
int baseline_gpus(const Study& study) {
  return study.baseline.rule == "gpus" ? study.baseline.gpus : 0;
}

}  // namespace

void plan_jobs(Planning& planning, bool fit, std::span<const contract::PlannedJob> existing) {
  std::vector<std::string> notes = arrange(planning, existing);
  if (const std::optional<config::Node>& requested_key = budget_of(planning.study)) {
    const config::Item item{*requested_key, "resources.max_gpu_hours"};
    const double limit = limit_of(item, planning.plan);
    const int baseline = baseline_gpus(planning.study);
    const std::string with_baseline =
        baseline > 0 ? fmt::format(" and the baseline of {} GPUs", baseline) : "";
    for (double cost; !within_budget(cost = total_gpu_hours(planning.plan.runs), limit);) {
      if (!fit) {
        item.fail(
            fmt::format("the plan may take up to {:.0f} GPU-hours (every run for its whole "
                        "walltime), but the limit is {:g}",
                        cost, limit));
      }
      const Fit fitting = fit_budget(planning.plan.runs, limit, baseline);
      if (fitting.dropped.empty()) {
        item.fail(
            fmt::format("the smallest and largest GPU counts of each curve{} alone take {:.0f} "
                        "GPU-hours, but the limit is {:g}",
                        with_baseline, cost, limit));
      }
      skip(planning, fitting.dropped);
      notes = arrange(planning, existing);
    }
  } else if (fit) {
    notes.push_back("--fit has no effect without a limit (--max-gpu-hours)");
  }
  planning.plan.warnings.insert(planning.plan.warnings.end(), notes.begin(), notes.end());
}

}  // namespace dlscale::planner
