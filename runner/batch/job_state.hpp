// SPDX-License-Identifier: Apache-2.0
// The states a job or a run can be in, as users see them.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::runner {

enum class JobState {
  Planned,    ///< in the plan, nothing done yet
  Submitted,  ///< handed to the batch system, which has not said anything yet
  Queued,
  Running,
  Done,
  NotNeeded,  ///< of a run alone: planned, and as things are nobody will submit it
  Failed,
  OutOfMemory,
  TimedOut,
  NodeFailed,
  Preempted,
  Cancelled,
  Lost,  ///< the batch system no longer knows the job
};

using States = std::unordered_map<std::string, JobState>;  ///< of runs, by their ids

const std::vector<JobState>& all_job_states();

/// planned submitted queued running done not_needed failed oom timeout node_fail preempted
/// cancelled lost
std::string to_string(JobState state);

/// True for Done and everything after it: nothing more is to come by itself.
bool has_ended(JobState state);
/// True for those of them that a user may want to look into.
bool ended_badly(JobState state);

/// How a run with this outcome is shown.
JobState state_of(contract::RunOutcome outcome);

/// What the batch system's verdict alone says about a run; empty for Done and Failed, where exit
/// code and results say more, and for states before the end.
std::optional<contract::RunOutcome> outcome_of(JobState state);

}  // namespace dlscale::runner
