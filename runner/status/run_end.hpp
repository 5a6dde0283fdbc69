// SPDX-License-Identifier: Apache-2.0
// Determines how and why a run ended, from its results, the status of its job, and the logs of the
// run and the job.
#pragma once

#include <filesystem>
#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_outcome.hpp"
#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner {

struct RunEnd {
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  int exit_code = 0;
  std::string reason;             ///< one-line explanation, empty for a completed run
  std::filesystem::path details;  ///< file that best explains a failure
};

/// Facts about an ended submission of a run.
struct JobEnd {
  std::string job;
  std::string launch;
  int earlier_launches = 0;  ///< number of the run's last launch before this submission
  JobStatus status;          ///< status of the run's job or of its array task
  bool cancelled = false;    ///< true: the user or the launcher requested the end
  bool started = true;       ///< true: the job started; false: it only waited in the queue
  bool shared = false;       ///< true: several runs share the job and its end
};

/// Returns whether the run uses a program other than dlscale-train. Such a run is complete if the
/// program ends with exit code 0. A run is external if it has a log format or if the plan has the
/// script that describes the software. In plans of earlier versions, a run without a log format
/// counts as external if its last launch has captured output but no results file.
bool is_external(const contract::PlannedRun& run, const contract::PlanDir& plan);

/// Determines how and why a run ended. The outcome comes from the first of these sources that
/// applies:
/// - The run's own final record, if its outcome is Completed, Diverged, OutOfMemory or Preempted.
/// - Exit code 0 of an external program, or exit code 99 (Preempted). Exit code 99 of an external
///   program counts only after SIGUSR1.
/// - A cancel request or the outcome that the batch system reports. Both explain why the script
///   received a signal. For a shared job, they apply only if the run was stopped from outside.
/// - The end that the job script recorded.
/// - Any other final record of the run.
/// - The exit code of dlscale-train. Other exit codes of external programs have no meaning.
///
/// The reason of a failed external run is its error, or else the last line that the program itself
/// wrote to stderr or stdout. If a Python module or a program is missing, the reason names the key
/// environment_setup.
///
/// A run of dlscale-train with exit code 0 but without a final record counts as Failed, because it
/// has no results.
RunEnd judge_run(const contract::PlanDir& plan, const contract::PlannedRun& run, const JobEnd& job);

}  // namespace dlscale::runner
