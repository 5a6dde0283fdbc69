// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/diff_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>
#include <string>
#include <vector>

#include "planner/output/plan_diff.hpp"
#include "workspace/plans/leftovers.hpp"
#include "workspace/runs/run_columns.hpp"

namespace dlscale::workspace {
namespace {

struct ChangeKind {
  const char* sign;
  const char* name;
  const std::vector<planner::RunChange>& runs;
};

std::string cost(const std::vector<planner::RunChange>& runs) {
  const double total = planner::total_gpu_hours(runs);
  return total > 0 ? fmt::format(" ({} GPU-hours)", hours(total)) : "";
}

/// Prints a line for each changed run. Then prints the number of runs and their GPU-hours for each
/// kind of change.
void print_diff(const planner::PlanDiff& diff, std::ostream& out) {
  const ChangeKind kinds[] = {{"+", "added", diff.added},
                              {"-", "removed", diff.removed},
                              {"~", "changed", diff.changed},
                              {"!", "stale", diff.stale}};
  std::vector<std::string> counts;
  for (const ChangeKind& kind : kinds) {
    for (const planner::RunChange& run : kind.runs) {
      out << fmt::format("{} {}", kind.sign, run.run_id);
      if (!run.keys.empty()) out << fmt::format(": {}", fmt::join(run.keys, ", "));
      if (run.has_results) out << " (has results)";
      out << '\n';
    }
    counts.push_back(fmt::format("{} {}{}", kind.runs.size(), kind.name, cost(kind.runs)));
  }
  const std::string moved =
      diff.moved > 0 ? fmt::format(" ({} of them in other jobs)", diff.moved) : "";
  counts.push_back(fmt::format("{} unchanged{}", diff.unchanged.size(), moved));
  out << fmt::format("{}\n", fmt::join(counts, ", "));
}

/// Prints the changes as one JSON object (contract::PlanChanges).
void print_diff_json(const planner::PlanDiff& diff, std::ostream& out) {
  contract::PlanChanges changes{
      diff.added, diff.removed, diff.changed, diff.stale, diff.unchanged.size(), diff.moved, {}};
  changes.gpu_hours = {{"added", planner::total_gpu_hours(diff.added)},
                       {"removed", planner::total_gpu_hours(diff.removed)},
                       {"changed", planner::total_gpu_hours(diff.changed)},
                       {"stale", planner::total_gpu_hours(diff.stale)}};
  out << to_json(changes);
}

}  // namespace

void show_diff(const planner::Planning& planning, const contract::PlanDir& folder, bool as_json,
               std::ostream& out) {
  const planner::PlanDiff diff = planner::diff_plan(planning, folder);
  if (as_json) {
    print_diff_json(diff, out);
  } else {
    print_diff(diff, out);
    out << results_left_over(planning.plan, folder);
  }
}

}  // namespace dlscale::workspace
