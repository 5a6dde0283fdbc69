// SPDX-License-Identifier: Apache-2.0
// Declares the work of `dlscale run`, which `dlscale demo` also does.
#pragma once

#include <string>

#include "planner/planner.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {

struct RunOptions {
  planner::PlanRequest request;
  std::string out;  ///< plan folder; empty for the name of the study
  int jobs = 1;     ///< number of simultaneous runs
  bool no_figures = false;
  workspace::SelectionChoice runs;
};

/// Plans, runs and evaluates a study on this machine, and prints the progress and the results.
/// Returns the exit code of the program. Throws base::Error for a study or site that cannot run
/// here.
int run_study(const RunOptions& options);

}  // namespace dlscale::cli
