// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/job_state.hpp"

#include <array>

namespace dlscale::runner {
namespace {

using contract::RunOutcome;

struct Row {
  JobState state;
  const char* name;
  std::optional<RunOutcome> outcome;  ///< outcome of the run, if the state determines it
};

constexpr std::array<Row, 13> kRows{{
    {JobState::Planned, "planned", {}},
    {JobState::Submitted, "submitted", {}},
    {JobState::Queued, "queued", {}},
    {JobState::Running, "running", {}},
    {JobState::Done, "done", {}},
    {JobState::NotNeeded, "not_needed", {}},
    {JobState::Failed, "failed", {}},
    {JobState::OutOfMemory, "oom", RunOutcome::OutOfMemory},
    {JobState::TimedOut, "timeout", RunOutcome::TimedOut},
    {JobState::NodeFailed, "node_fail", RunOutcome::NodeFailed},
    {JobState::Preempted, "preempted", RunOutcome::Preempted},
    {JobState::Cancelled, "cancelled", RunOutcome::Cancelled},
    {JobState::Lost, "lost", RunOutcome::Lost},
}};

const Row& row_of(JobState state) {
  return kRows.at(static_cast<std::size_t>(state));
}

}  // namespace

const std::vector<JobState>& all_job_states() {
  static const std::vector<JobState> states = [] {
    std::vector<JobState> list;
    for (const Row& row : kRows) list.push_back(row.state);
    return list;
  }();
  return states;
}

std::string to_string(JobState state) {
  return row_of(state).name;
}

bool has_ended(JobState state) {
  return state >= JobState::Done;
}

bool ended_badly(JobState state) {
  return state > JobState::NotNeeded;
}

JobState state_of(RunOutcome outcome) {
  if (outcome == RunOutcome::Completed) return JobState::Done;
  for (const Row& row : kRows) {
    if (row.outcome == outcome) return row.state;
  }
  return JobState::Failed;
}

std::optional<RunOutcome> outcome_of(JobState state) {
  return row_of(state).outcome;
}

}  // namespace dlscale::runner
