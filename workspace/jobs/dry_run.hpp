// SPDX-License-Identifier: Apache-2.0
// Returns the commands that would submit jobs, without submitting the jobs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"

namespace dlscale::workspace {

/// Job that would be submitted.
struct DryJob {
  std::vector<std::string> runs;  ///< runs of the job, including the other runs of a packed job
  /// Shell command that submits the job. It contains a placeholder for the token of the submission.
  /// The name of a job in angle brackets stands for the id that this job would get.
  std::string command;
};

/// Returns the jobs that contain some of `runs`.
std::vector<DryJob> dry_run(const LaunchFolder& place, const std::set<std::string>& runs);

}  // namespace dlscale::workspace
