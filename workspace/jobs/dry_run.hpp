// SPDX-License-Identifier: Apache-2.0
// The commands that would submit jobs, without submitting any.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"

namespace dlscale::workspace {

/// A job that would be submitted.
struct DryJob {
  std::vector<std::string> runs;  ///< those of a packed job that go along included
  /// A line of shell. A fresh token stands where each submission gets one, the name of a job in
  /// angle brackets where the id of that one would be.
  std::string command;
};

/// The jobs that hold some of `runs`.
std::vector<DryJob> dry_run(const LaunchFolder& place, const std::set<std::string>& runs);

}  // namespace dlscale::workspace
