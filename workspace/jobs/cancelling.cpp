// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/cancelling.hpp"

#include "runner/status/cancel_requests.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace {

std::vector<CancelTarget> targets_among(const runner::LaunchHistory& history,
                                        const RunIds& selected) {
  std::vector<CancelTarget> targets;
  for (const runner::Submission& submission : history.submissions()) {
    if (submission.is_over()) continue;
    CancelTarget target{submission.id, submission.launch, submission.job, {}};
    bool meant = false;
    for (const runner::SubmittedRun& run : submission.runs) {
      if (run.ended) continue;
      const bool selects = selected.contains(run.run_id);
      if (submission.is_array) {
        if (selects) targets.push_back({run.id, target.launch, target.job, {run.run_id}});
        continue;
      }
      target.id = run.id;
      target.runs.push_back(run.run_id);
      meant = meant || selects;
    }
    if (meant && !target.runs.empty()) targets.push_back(target);
  }
  return targets;
}

/// Returns the states of the runs. Queries the scheduler only if the user selected states, because
/// only the scheduler distinguishes waiting and running jobs.
runner::States current_states(const LaunchFolder& place, const StateChoice& choice) {
  if (!choice.narrows()) return runner::run_states(place.plan, place.folder);
  return ask_states(place).states;
}

/// Returns the runs that the user named by id and that have a job but are no longer in the plan.
/// Removes their ids from `choice`, because the plan does not know them.
RunIds take_unplanned(const LaunchFolder& place, const runner::LaunchHistory& history,
                      SelectionChoice& choice) {
  RunIds named(choice.runs.begin(), choice.runs.end());
  for (const contract::PlannedRun& run : place.plan.runs) named.erase(run.run_id);
  const RunIds unplanned = open_runs(history, named);
  std::erase_if(choice.runs, [&](const std::string& run) { return unplanned.contains(run); });
  return unplanned;
}

}  // namespace

CancelledJobs jobs_to_cancel(const LaunchFolder& place, const SelectionChoice& selection,
                             const StateChoice& states) {
  const runner::LaunchHistory history = runner::read_history(place.folder);
  SelectionChoice choice = selection;
  const RunIds unplanned = take_unplanned(place, history, choice);
  CancelledJobs chosen;
  if (unplanned.empty() || choice.narrows()) {
    const RunIds named = select_runs(place.plan, choice);
    const runner::States now = current_states(place, states);
    chosen.selected = keep_states(named, states, now, choice.allow_empty);
    for (const std::string& run : chosen.selected) {
      if (now.at(run) == runner::JobState::Planned) chosen.unsubmitted.insert(run);
    }
  }
  chosen.selected.insert(unplanned.begin(), unplanned.end());
  chosen.targets = targets_among(history, chosen.selected);
  return chosen;
}

void cancel_jobs(LaunchFolder& place, const CancelledJobs& jobs) {
  std::vector<runner::CancelRequest> requests;
  std::vector<runner::JobId> ids;
  for (const CancelTarget& target : jobs.targets) {
    for (const std::string& run : target.runs) requests.push_back({run, target.launch});
    if (!target.id.empty()) ids.push_back(target.id);
  }
  for (const std::string& run : jobs.unsubmitted) requests.push_back({run, ""});
  runner::append_cancel_requests(place.folder, requests, place.clock);
  if (!ids.empty()) place.scheduler->cancel(ids);
}

}  // namespace dlscale::workspace
