// SPDX-License-Identifier: Apache-2.0
// Selects jobs of a plan folder to cancel, and cancels them.
#pragma once

#include <string>
#include <vector>

#include "runner/batch/job_scheduler.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Job or array task to cancel.
struct CancelTarget {
  runner::JobId id;  ///< id in the scheduler; empty = not submitted, or unknown
  std::string launch;
  std::string job;
  std::vector<std::string> runs;  ///< all runs of the job
};

/// Jobs to cancel. `unsubmitted` are selected runs without a job, which another process may be
/// about to submit.
struct CancelledJobs {
  RunIds selected;
  std::vector<CancelTarget> targets;
  RunIds unsubmitted;
};

/// Returns the jobs that contain selected runs. If `states` names states, the runs must be in one
/// of these states. A run that has a job but is no longer in the plan counts only if the user
/// selected it by id. Throws what select_runs and keep_states throw.
CancelledJobs jobs_to_cancel(const LaunchFolder& place, const SelectionChoice& selection,
                             const StateChoice& states);

/// Cancels the jobs. The cancel requests are recorded first, so that a launcher that detects the
/// end of a job can record the reason.
void cancel_jobs(LaunchFolder& place, const CancelledJobs& jobs);

}  // namespace dlscale::workspace
