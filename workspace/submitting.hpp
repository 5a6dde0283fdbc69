// SPDX-License-Identifier: Apache-2.0
// Submits runs of a plan folder to its scheduler, for `dlscale submit` and `dlscale retry`.
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

/// Function that selects the runs to submit. Runs that have a job are not submitted again.
using Pick =
    std::function<std::set<std::string>(const LaunchFolder& place, const RunIds& selected)>;

/// Functions that follow jobs in the terminal, and that continue without a terminal.
struct SubmitTools {
  LaunchFunction launch;
  /// Function that forks the process. It returns false in the process that the user started, which
  /// must exit. It returns true in a background process, which appends its output to `log`.
  std::function<bool(const std::filesystem::path& log)> detach;
};

/// Submits the selected runs as `choice` specifies, and returns the exit code. `verb` is the name
/// of the command that the user called.
int submit_runs(const std::string& verb, const SubmitChoice& choice, const Pick& pick,
                const SubmitTools& tools);

}  // namespace dlscale::workspace
