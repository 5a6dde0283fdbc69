// SPDX-License-Identifier: Apache-2.0
// Determines how and why a run ended, from its results, the status of its job and the logs of both.
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

/// Facts about a run's submission that has ended.
struct JobEnd {
  std::string job;
  std::string launch;
  int earlier_launches = 0;  ///< number of the run's last launch before this submission
  JobStatus status;          ///< status of the run's job or of its array task
  bool cancelled = false;    ///< true: the user or the launcher requested the end
  bool started = true;       ///< true: the job ran and did not only wait
  bool shared = false;       ///< true: several runs share the job and its end
};

/// Returns true for a run of a program other than dlscale-train. Such a run is complete if the
/// program ends with exit code 0. A run without a log format is external if its last launch has
/// captured output but no results file.
bool is_external(const contract::PlannedRun& run, const contract::PlanDir& plan);

/// Determines how and why a run ended. The sources for the outcome, in order of precedence, are:
/// - the run's own final record, if its outcome is Completed, Diverged, OutOfMemory or Preempted,
/// - exit code 0 of an external program, and exit code 99 (Preempted),
/// - a cancel request or the verdict of the batch system, which explain a signal that the script
///   received (for a shared job only if the run was stopped from outside),
/// - the end that the job script recorded,
/// - any other final record of the run,
/// - the exit code.
///
/// A run with exit code 0 but without a final record has no results and counts as Failed, unless
/// the run is external.
RunEnd judge_run(const contract::PlanDir& plan, const contract::PlannedRun& run, const JobEnd& job);

}  // namespace dlscale::runner
