// SPDX-License-Identifier: Apache-2.0
// The verdict on a run: how it ended and why, from its results, its job's end and what both wrote.
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
  std::string reason;             ///< one line; empty when all went well
  std::filesystem::path details;  ///< the file that says most about a failure
};

/// What is known of a run's submission that has ended.
struct JobEnd {
  std::string job;
  std::string launch;
  int earlier_launches = 0;  ///< number of the run's last launch before this submission
  JobStatus status;          ///< of the run's job, or of its task of an array
  bool cancelled = false;    ///< somebody asked us for its end
  bool started = true;       ///< it did not only wait
  bool shared = false;       ///< by several runs: the job's end may be another's
};

/// True for a run of a program other than dlscale-train: it is done when that ended well. One that
/// names no format of its logs is known by what its script keeps of it.
bool is_external(const contract::PlannedRun& run, const contract::PlanDir& plan);

/// The run's own final record decides; then what the script noted of it; then the batch system's
/// verdict, which also explains a signal that the script got. A run that ended well without a final
/// record counts as Failed, unless it is external: there are no results.
RunEnd judge_run(const contract::PlanDir& plan, const contract::PlannedRun& run, const JobEnd& job);

}  // namespace dlscale::runner
