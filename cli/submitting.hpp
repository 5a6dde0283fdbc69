// SPDX-License-Identifier: Apache-2.0
// What `submit` and `retry` share: their options, and handing runs over with them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/launching.hpp"
#include "cli/selection.hpp"
#include "runner/job_state.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

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

/// Declares them all. `choice` must outlive the parsing.
void add_submit_options(CLI::App& app, SubmitChoice& choice);

/// Declares --poll.
void add_poll_option(CLI::App& app, double& poll_s);

/// Which runs of a plan are to be submitted, if no job has them now.
using Pick =
    std::function<std::set<std::string>(const LaunchFolder& place, const RunIds& selected)>;

/// Hands the picked runs over as `choice` says and returns the exit code. `verb` is called so.
int submit_runs(const std::string& verb, const SubmitChoice& choice, const Pick& pick);

}  // namespace dlscale::cli
