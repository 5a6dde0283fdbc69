// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/leftovers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/text.hpp"
#include "contract/plan/plan.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/status/usage_rows.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;

std::vector<planner::FinishedRun> finished_runs(const contract::PlanDir& folder,
                                                const std::string& study) {
  std::error_code unreadable;
  if (!std::filesystem::exists(folder.launch_log(), unreadable)) return {};
  const auto plan = contract::find_plan(folder);
  if (!plan || plan->study != study) return {};
  const auto states = runner::run_states(*plan, folder);
  const auto state_of = [&](const contract::PlannedRun& run) {
    const auto state = states.find(run.run_id);
    return state == states.end() ? runner::JobState::Planned : state->second;
  };
  RunIds done;
  for (const contract::PlannedRun& run : plan->runs) {
    if (state_of(run) == runner::JobState::Done) done.insert(run.run_id);
  }
  std::map<std::string, std::vector<double>> elapsed;
  for (const LaunchUse& use : read_uses(*plan, folder, done, {})) {
    elapsed[use.run->run_id].push_back(use.elapsed_s.value_or(0));
  }
  std::vector<planner::FinishedRun> begun;
  for (const contract::PlannedRun& run : plan->runs) {
    if (state_of(run) == runner::JobState::Planned) continue;
    const auto launches = elapsed.find(run.run_id);
    const bool once = launches != elapsed.end() && launches->second.size() == 1;
    begun.push_back({run.point, run.gpus, run.predicted_s, once ? launches->second.front() : 0,
                     run.run_id, run.predicted_low_s, run.predicted_high_s});
  }
  return begun;
}

namespace {

/// Returns the first three names in alphabetical order as text: "a, b, c, …".
std::string first_of(std::vector<std::string> names) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(kShown, names.size());
  std::partial_sort(names.begin(), names.begin() + std::ptrdiff_t(shown), names.end());
  const char* const more = names.size() > shown ? ", …" : "";
  names.resize(shown);
  return fmt::format("{}{}", fmt::join(names, ", "), more);
}

/// Returns the jobs of the existing plan that a new plan keeps. Single jobs that were never
/// submitted or started are left out, because their runs may become parts of other jobs. Returns no
/// jobs if the folder has no plan of the same study.
std::vector<contract::PlannedJob> kept_jobs(const contract::PlanDir& folder,
                                            const std::string& study) {
  std::optional<contract::Plan> plan = contract::find_plan(folder);
  if (!plan || plan->study != study) return {};
  const auto states = runner::run_states(*plan, folder);
  std::erase_if(plan->jobs, [&](const contract::PlannedJob& job) {
    return job.kind == contract::JobKind::single &&
           std::all_of(job.run_ids.begin(), job.run_ids.end(), [&](const std::string& id) {
             const auto state = states.find(id);
             return state == states.end() || state->second == runner::JobState::Planned;
           });
  });
  return std::move(plan->jobs);
}

}  // namespace

planner::EarlierPlan earlier_plan(const planner::Planner& planner,
                                  const contract::PlanDir& folder) {
  const std::string& study = planner.plan().study;
  planner::EarlierPlan earlier{.folder = folder};
  if (planner.keeps_jobs()) earlier.jobs = kept_jobs(folder, study);
  if (planner.learns_limits()) earlier.runs = finished_runs(folder, study);
  return earlier;
}

std::string runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder) {
  const std::optional<contract::Plan> before = contract::find_plan(folder);
  if (!before || before->study != plan.study) return {};
  std::unordered_set<std::string_view> planned;
  for (const contract::PlannedRun& run : plan.runs) planned.insert(run.run_id);
  const auto more =
      std::count_if(before->runs.begin(), before->runs.end(),
                    [&](const contract::PlannedRun& run) { return !planned.contains(run.run_id); });
  if (more == 0) return {};
  return fmt::format(
      "the earlier plan of this folder had {}; the files of all runs stay in the folder, and "
      "planning without a selection includes all runs again\n",
      base::count_of(more, "more run"));
}

std::string open_runs_left_out(const contract::Plan& plan, const contract::PlanDir& folder) {
  std::unordered_set<std::string_view> planned;
  for (const contract::PlannedRun& run : plan.runs) planned.insert(run.run_id);
  const runner::LaunchHistory history = runner::read_history(folder);
  std::set<std::string> open;
  for (const runner::Submission& submission : history.submissions()) {
    if (submission.is_over()) continue;
    for (const runner::SubmittedRun& run : submission.runs) {
      if (!run.ended && !planned.contains(run.run_id)) open.insert(run.run_id);
    }
  }
  if (open.empty()) return {};
  return fmt::format(
      "warning: {} in the batch system {} not in this plan: {}; dlscale cancel {} --run ID --yes "
      "cancels a run\n",
      base::count_of(open.size(), "run"), base::word_for(open.size(), "is", "are"),
      first_of({open.begin(), open.end()}), folder.root().string());
}

std::string results_left_over(const contract::Plan& plan, const contract::PlanDir& folder) {
  if (!fs::is_directory(folder.runs())) return {};
  std::unordered_set<std::string_view> planned;
  for (const contract::PlannedRun& run : plan.runs) planned.insert(run.run_id);
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder.runs())) {
    std::string id = entry.path().filename();
    if (!planned.contains(id) && !folder.run(id).launches().empty()) {
      others.push_back(std::move(id));
    }
  }
  if (others.empty()) return {};
  const std::size_t count = others.size();
  return fmt::format(
      "{} with results {} not in this plan: {}; {} in {}, but dlscale collect skips {}\n",
      base::count_of(count, "run"), base::word_for(count, "is", "are"), first_of(std::move(others)),
      base::word_for(count, "it stays", "they stay"), (folder.runs() / "").string(),
      base::word_for(count, "it", "them"));
}

std::string scripts_left_over(const contract::Plan& plan, const contract::PlanDir& folder) {
  if (!fs::is_directory(folder.jobs())) return {};
  std::unordered_set<std::string> own;
  for (const contract::PlannedJob& job : plan.jobs) {
    own.insert(contract::PlanDir::script_name(job.name));
  }
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(folder.jobs())) {
    const fs::path name = entry.path().filename();
    if (name.extension() == ".sh" && !own.contains(name)) others.push_back(name);
  }
  if (others.empty()) return {};
  const std::size_t count = others.size();
  return fmt::format("{} in {} {} from earlier plans and not part of this plan: {}\n",
                     base::count_of(count, "script"), (folder.jobs() / "").string(),
                     base::word_for(count, "is", "are"), first_of(std::move(others)));
}

}  // namespace dlscale::workspace
