// SPDX-License-Identifier: Apache-2.0
#include "runner/status/poll.hpp"

#include "runner/status/active_jobs.hpp"
#include "runner/status/launch_log.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::runner {
namespace {

PolledRuns poll_with(const contract::Plan& plan, const contract::PlanDir& folder,
                     const LaunchHistory& history) {
  PolledRuns runs;
  runs.reserve(plan.runs.size());
  for (const auto& [run, state] : run_states(plan, folder, history)) {
    PolledRun& run_status = runs[run];
    if (const LoggedRun* entry = history.last_entry(run)) {
      run_status = {state,
                    entry->id,
                    entry->reason,
                    entry->nodes,
                    entry->submissions,
                    entry->submitted_at,
                    entry->started_at,
                    entry->ended_at,
                    entry->elapsed_s,
                    entry->peak_memory_bytes};
    }
    run_status.state = state;
  }
  return runs;
}

void take_answer(const ActiveJob& job, PolledRuns& runs) {
  for (const SubmittedRun& run : job.runs) {
    const auto found = runs.find(run.run_id);
    if (found == runs.end() || has_ended(found->second.state)) continue;
    PolledRun& run_status = found->second;
    run_status.state = job.last.state;
    run_status.id = job.id;
    run_status.reason = job.last.reason;
    run_status.nodes = job.last.nodes;
    if (job.last.started_at > 0) run_status.started_at = job.last.started_at;
  }
}

}  // namespace

PolledRuns poll(const contract::Plan& plan, const contract::PlanDir& folder,
                const StatusSources& parts) {
  const LaunchHistory history =
      parts.log != nullptr ? LaunchHistory(parts.log->records()) : read_history(folder);
  ActiveJobs active_jobs(plan, folder, parts.scheduler, parts.clock, parts.log);
  for (const Submission& submission : history.submissions()) active_jobs.track(submission);
  const std::vector<RunReport> ended = active_jobs.poll();
  const bool is_logged = parts.log != nullptr;
  auto runs = poll_with(plan, folder, is_logged ? LaunchHistory(parts.log->records()) : history);
  for (const RunReport& report : ended) {
    const auto found = runs.find(report.run_id);
    if (found == runs.end() || is_logged) continue;
    if (parts.followed && report.end.outcome == contract::RunOutcome::Lost) {
      if (found->second.state == JobState::Submitted) found->second.state = JobState::Queued;
      continue;
    }
    found->second.state = state_of(report.end.outcome);
    found->second.reason = report.end.reason;
  }
  for (const ActiveJob& job : active_jobs.all()) take_answer(job, runs);
  return runs;
}

PolledRuns states_in_files(const contract::Plan& plan, const contract::PlanDir& folder) {
  return poll_with(plan, folder, read_history(folder));
}

}  // namespace dlscale::runner
