// SPDX-License-Identifier: Apache-2.0
// Defines the states of jobs and runs, as shown to users.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

enum class JobState {
  Planned,    ///< planned run without any submission
  Submitted,  ///< submitted job without any report from the batch system
  Queued,
  Running,
  Done,
  NotNeeded,  ///< planned run that is not needed, for example a further repetition
  Failed,
  OutOfMemory,
  TimedOut,
  NodeFailed,
  Preempted,
  Cancelled,
  Lost,  ///< job that the batch system no longer knows
};

using States = std::unordered_map<std::string, JobState>;  ///< states by run id

const std::vector<JobState>& all_job_states();

/// Returns the name of the state: planned, submitted, queued, running, done, not_needed, failed,
/// oom, timeout, node_fail, preempted, cancelled or lost.
std::string to_string(JobState state);

/// Returns whether the state is Done or one of the states listed after Done. Only an action of the
/// user changes these states.
bool has_ended(JobState state);
/// Returns whether the run ended without completing, as in the states from Failed to Lost. The user
/// may want to investigate such a run.
bool ended_badly(JobState state);

/// Returns the state in which a run with this outcome is shown.
JobState state_of(contract::RunOutcome outcome);

/// Returns the outcome of a run if the state of its job alone determines the outcome. Returns
/// nullopt for Done and Failed, because the exit code and the results are more precise. Returns
/// nullopt for jobs that have not ended.
std::optional<contract::RunOutcome> outcome_of(JobState state);

}  // namespace dlscale::runner
