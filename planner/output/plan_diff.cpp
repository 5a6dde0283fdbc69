// SPDX-License-Identifier: Apache-2.0
#include "planner/output/plan_diff.hpp"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/json/diff.hpp"
#include "contract/plan/plan.hpp"
#include "planner/jobs/finished_runs.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

std::optional<std::string> file_text(const fs::path& file) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return std::nullopt;
  return base::read_file(file);
}

/// Plan in a folder and the descriptions of its runs.
class OldPlan {
 public:
  OldPlan(const contract::PlanDir& folder, const std::string& study) : folder_(folder) {
    std::error_code none;
    if (!fs::is_regular_file(folder.plan_json(), none)) return;
    plan_ = contract::read_plan(folder);
    if (plan_.study != study) {
      throw base::UsageError(fmt::format("{} holds the plan of study \"{}\", not of \"{}\"",
                                         folder.root().string(), plan_.study, study));
    }
    for (const contract::PlannedRun& run : plan_.runs) jobs_.emplace(run.run_id, run.job);
    tables_.emplace(plan_, folder_);
  }
  const std::vector<contract::PlannedRun>& runs() const { return plan_.runs; }
  bool has(const std::string& run_id) const { return jobs_.contains(run_id); }
  std::string_view job_of(const std::string& run_id) const { return jobs_.at(run_id); }

  /// Returns the description of a run as JSON, or nothing if the folder no longer contains it.
  std::optional<std::string> description(const std::string& run_id) {
    if (auto text = file_text(folder_.run(run_id).run_json())) return text;
    auto line = tables_->find(run_id);
    if (!line) return std::nullopt;
    return std::move(line->json);
  }

 private:
  contract::PlanDir folder_;
  contract::Plan plan_;
  std::unordered_map<std::string_view, std::string_view> jobs_;  // job of each run
  std::optional<contract::RunTables> tables_;                    // tables that describe array tasks
};

std::vector<std::string> keys_between(const std::optional<std::string>& before,
                                      const contract::RunSpec& after, bool begun) {
  if (!before) return {"run.json"};
  const std::string json = contract::to_json(after);
  if (*before == json) return {};
  try {
    const auto kept = contract::run_spec_from_json(*before, "run.json");
    if (begun ? same_but_walltime(kept, after) : kept == after) return {};
    return contract::differing_keys(*before, json, "run.json");
  } catch (const base::SpecError&) {
    return {"run.json"};
  }
}

}  // namespace

PlanDiff diff_plan(const Planning& planning, const contract::PlanDir& folder) {
  OldPlan old(folder, planning.plan.study);
  PlanDiff diff;
  std::unordered_set<std::string_view> planned;
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::PlannedRun& run = planning.plan.runs[i];
    planned.insert(run.run_id);
    RunChange change{.run_id = run.run_id, .gpu_hours = run.gpu_hours};
    if (!old.has(run.run_id)) {
      diff.added.push_back(std::move(change));
      continue;
    }
    const bool begun = !folder.run(run.run_id).launches().empty();
    change.keys = keys_between(old.description(run.run_id), planning.run(i), begun);
    auto& list = change.keys.empty() ? diff.unchanged : begun ? diff.stale : diff.changed;
    if (change.keys.empty() && old.job_of(run.run_id) != run.job) ++diff.moved;
    list.push_back(std::move(change));
  }
  for (const contract::PlannedRun& run : old.runs()) {
    if (planned.contains(run.run_id)) continue;
    const bool has_results = !folder.run(run.run_id).launches().empty();
    diff.removed.push_back({run.run_id, run.gpu_hours, {}, has_results});
  }
  return diff;
}

double total_gpu_hours(const std::vector<RunChange>& runs) {
  return std::accumulate(runs.begin(), runs.end(), 0.0,
                         [](double sum, const RunChange& run) { return sum + run.gpu_hours; });
}

}  // namespace dlscale::planner
