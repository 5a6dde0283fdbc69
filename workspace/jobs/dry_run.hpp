// SPDX-License-Identifier: Apache-2.0
// Returns the commands that would submit jobs, without submitting.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"

namespace dlscale::workspace {

/// A job that would be submitted.
struct DryJob {
  std::vector<std::string> runs;  ///< including the other runs of a packed job
  /// Shell command. A placeholder token stands for the token of the submission, and the name of a
  /// job in angle brackets for the id of that job.
  std::string command;
};

/// Returns the jobs with some of `runs`.
std::vector<DryJob> dry_run(const LaunchFolder& place, const std::set<std::string>& runs);

}  // namespace dlscale::workspace
