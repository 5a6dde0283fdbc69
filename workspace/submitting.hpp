// SPDX-License-Identifier: Apache-2.0
// Hands runs of a plan folder over to its batch system, as `submit` and `retry` do.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "runner/batch/job_state.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

struct SubmitChoice {
  std::string folder = ".";
  SelectionChoice selection;
  int max_jobs = 0;
  double poll_s = 0;
  std::vector<std::string> avoid;
  bool once = false;
  bool wait = false;
  bool detach = false;
  bool dry_run = false;
  bool json = false;
};

/// Which runs of a plan are to be submitted, if no job has them now.
using Pick =
    std::function<std::set<std::string>(const LaunchFolder& place, const RunIds& selected)>;

/// How the program follows jobs in front of the user, and how it continues without a terminal.
struct SubmitTools {
  LaunchFunction launch;
  /// Returns false in the process that the user started, which must end at once, and true in a
  /// process that continues in the background and appends its output to `log`.
  std::function<bool(const std::filesystem::path& log)> detach;
};

/// Hands the picked runs over as `choice` says and returns the exit code. `verb` is called so.
int submit_runs(const std::string& verb, const SubmitChoice& choice, const Pick& pick,
                const SubmitTools& tools);

}  // namespace dlscale::workspace
