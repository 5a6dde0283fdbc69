// SPDX-License-Identifier: Apache-2.0
// The verdict on a run: how it ended and why, from its results, its job's end and what both wrote.
#pragma once

#include <filesystem>
#include <string>

#include "contract/run_dir.hpp"
#include "contract/run_outcome.hpp"
#include "runner/job_scheduler.hpp"

namespace dlscale::runner {

struct RunEnd {
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  int exit_code = 0;
  std::string reason;             ///< one line; empty when all went well
  std::filesystem::path details;  ///< the file that says most about a failure
};

/// What is known of a job that has ended.
struct JobEnd {
  std::string name;
  JobStatus status;
  bool cancelled = false;   ///< we asked for its end
  bool started = true;      ///< it did not only wait
  double submitted_at = 0;  ///< unix time; what the script noted earlier is of an earlier attempt
};

/// The run's own final record decides; without one the batch system's verdict, then the exit code.
/// Only launches after number `earlier_launches` belong to the job. A job that ended well without
/// that record counts as Failed: there are no results.
RunEnd judge_run(const contract::PlanDir& plan, const std::string& run_id, int earlier_launches,
                 const JobEnd& job);

}  // namespace dlscale::runner
