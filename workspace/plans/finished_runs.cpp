// SPDX-License-Identifier: Apache-2.0
#include "workspace/plans/finished_runs.hpp"

#include <filesystem>
#include <map>

#include "contract/plan/plan.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/status/usage_rows.hpp"

namespace dlscale::workspace {

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

}  // namespace dlscale::workspace
