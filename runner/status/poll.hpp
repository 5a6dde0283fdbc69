// SPDX-License-Identifier: Apache-2.0
// Determines the current state of each run of a plan, with one query to the batch system.
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
  double submitted_at = 0, started_at = 0, ended_at = 0;  ///< Unix times in s, 0 = has not happened
  double elapsed_s = 0;          ///< duration in s of an ended run from the accounting, 0 = unknown
  double peak_memory_bytes = 0;  ///< peak memory from the accounting, 0 = unknown
};

using PolledRuns = std::unordered_map<std::string, PolledRun>;  ///< status by run id

/// Sources of the states of runs, and the log in which changes are recorded.
struct StatusSources {
  JobScheduler& scheduler;
  const base::Clock& clock;
  LaunchLog* log = nullptr;  ///< launch log; if null, changes are not recorded
  /// True if another program holds the launch log. Jobs that the batch system does not know then
  /// wait or run inside that program, and their states come from the files.
  bool followed = false;
};

/// Returns the status of each run. Queries the batch system once for all submitted jobs, unless
/// there are no submitted jobs. Throws SchedulerUnreachable if the batch system does not answer.
PolledRuns poll(const contract::Plan& plan, const contract::PlanDir& folder,
                const StatusSources& parts);

/// Returns the status of each run from files alone, without a query to the batch system.
PolledRuns states_in_files(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::runner
