// SPDX-License-Identifier: Apache-2.0
// Determines the state of each run of a plan at this moment, with one query to the batch system.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

struct PolledRun {
  JobState state = JobState::Planned;
  JobId id;            ///< job id of the last submission, empty without a submission
  std::string reason;  ///< one-line explanation for the user, may be empty
  std::vector<std::string> nodes;
  int submissions = 0;
  double submitted_at = 0, started_at = 0, ended_at = 0;  ///< Unix times in s, 0 = not yet
  double elapsed_s = 0;          ///< accounted duration of an ended run, 0 = unknown
  double peak_memory_bytes = 0;  ///< accounted peak memory, 0 = unknown
};

using PolledRuns = std::unordered_map<std::string, PolledRun>;  ///< status by run id

/// Sources of the run states, and the log that records the changes.
struct StatusSources {
  JobScheduler& scheduler;
  const base::Clock& clock;
  LaunchLog* log = nullptr;  ///< launch log, null to record nothing
  /// True if another program holds the launch log. Jobs that the batch system does not know then
  /// wait or run in the other program, and their states come from the files.
  bool followed = false;
};

/// Returns the status of each run. Sends one query for all jobs in the batch system, and none if
/// the batch system has no jobs. Throws SchedulerUnreachable.
PolledRuns poll(const contract::Plan& plan, const contract::PlanDir& folder,
                const StatusSources& parts);

/// Returns the status of each run from the files alone, without a query.
PolledRuns states_in_files(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::runner
