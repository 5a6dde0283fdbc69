// SPDX-License-Identifier: Apache-2.0
#include "runner/status/look.hpp"

#include "runner/status/flights.hpp"
#include "runner/status/launch_log.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::runner {
namespace {

Looks look_with(const contract::Plan& plan, const contract::PlanDir& folder,
                const LaunchHistory& history) {
  Looks looks;
  looks.reserve(plan.runs.size());
  for (const auto& [run, state] : run_states(plan, folder, history)) {
    RunLook& look = looks[run];
    if (const RunWord* word = history.word_on(run)) {
      look = {state,
              word->id,
              word->reason,
              word->nodes,
              word->submissions,
              word->submitted_at,
              word->started_at,
              word->ended_at,
              word->elapsed_s,
              word->peak_memory_bytes};
    }
    look.state = state;
  }
  return looks;
}

void take_answer(const Flight& flight, Looks& looks) {
  for (const SubmittedRun& run : flight.runs) {
    const auto found = looks.find(run.run_id);
    if (found == looks.end() || has_ended(found->second.state)) continue;
    RunLook& look = found->second;
    look.state = flight.last.state;
    look.id = flight.id;
    look.reason = flight.last.reason;
    look.nodes = flight.last.nodes;
    if (flight.last.started_at > 0) look.started_at = flight.last.started_at;
  }
}

}  // namespace

Looks look(const contract::Plan& plan, const contract::PlanDir& folder, const LookParts& parts) {
  const LaunchHistory history =
      parts.log != nullptr ? LaunchHistory(parts.log->records()) : read_history(folder);
  Flights flights(plan, folder, parts.scheduler, parts.clock, parts.log);
  for (const Submission& submission : history.submissions()) flights.adopt(submission);
  const std::vector<RunReport> ended = flights.look();
  const bool noted = parts.log != nullptr;
  auto looks = look_with(plan, folder, noted ? LaunchHistory(parts.log->records()) : history);
  for (const RunReport& report : ended) {
    const auto found = looks.find(report.run_id);
    if (found == looks.end() || noted) continue;
    if (parts.followed && report.end.outcome == contract::RunOutcome::Lost) {
      if (found->second.state == JobState::Submitted) found->second.state = JobState::Queued;
      continue;
    }
    found->second.state = state_of(report.end.outcome);
    found->second.reason = report.end.reason;
  }
  for (const Flight& flight : flights.all()) take_answer(flight, looks);
  return looks;
}

Looks look_at_files(const contract::Plan& plan, const contract::PlanDir& folder) {
  return look_with(plan, folder, read_history(folder));
}

}  // namespace dlscale::runner
