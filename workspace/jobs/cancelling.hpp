// SPDX-License-Identifier: Apache-2.0
// Selects jobs of a plan folder to cancel, and cancels them.
#pragma once

#include <string>
#include <vector>

#include "runner/batch/job_scheduler.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// A job or an array task to cancel.
struct CancelTarget {
  runner::JobId id;  ///< job id; empty: not submitted, or unknown
  std::string launch;
  std::string job;
  std::vector<std::string> runs;  ///< all runs of the job
};

/// Jobs to cancel, and runs that another process may be about to submit.
struct CancelledJobs {
  RunIds selected;
  std::vector<CancelTarget> targets;
  RunIds unsubmitted;
};

/// Returns the jobs with selected runs, in one of these states if any is given. A run that has a
/// job but is no longer in the plan counts only if it was selected by id. Throws what select_runs
/// and keep_states throw.
CancelledJobs jobs_to_cancel(const LaunchFolder& place, const SelectionChoice& selection,
                             const StateChoice& states);

/// Records the cancel requests before it cancels the jobs, so that a launcher that sees a job end
/// knows the reason.
void cancel_jobs(LaunchFolder& place, const CancelledJobs& jobs);

}  // namespace dlscale::workspace
