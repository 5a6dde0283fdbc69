// SPDX-License-Identifier: Apache-2.0
// Which jobs of a plan folder are to end, and cancelling them.
#pragma once

#include <string>
#include <vector>

#include "runner/batch/job_scheduler.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// A job or a task of an array that is to end.
struct CancelTarget {
  runner::JobId id;  ///< empty: not submitted, or nobody knows whether it is
  std::string launch;
  std::string job;
  std::vector<std::string> runs;  ///< all that it holds
};

/// What is to end: jobs, and runs that somebody may be about to submit.
struct CancelledJobs {
  RunIds selected;
  std::vector<CancelTarget> targets;
  RunIds unsubmitted;
};

/// The jobs that hold runs of a selection, in one of these states if any is chosen. A run that has
/// a job and is no longer in the plan is meant only where the selection has its id. Throws as
/// select_runs and keep_states do.
CancelledJobs jobs_to_cancel(const LaunchFolder& place, const SelectionChoice& selection,
                             const StateChoice& states);

/// Records the requests before it cancels the jobs: a launcher that sees a job end then knows why.
void cancel_jobs(LaunchFolder& place, const CancelledJobs& jobs);

}  // namespace dlscale::workspace
