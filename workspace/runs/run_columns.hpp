// SPDX-License-Identifier: Apache-2.0
// The columns of tables that have a line for each run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "runner/batch/job_state.hpp"
#include "workspace/runs/run_progress.hpp"

namespace dlscale::workspace {

struct ShownRun {
  const contract::PlannedRun* run;
  runner::JobState state;
  RunProgress progress = {};
};

/// How it is called and what a run has there.
struct RunColumn {
  std::string name;
  std::function<std::string(const ShownRun& run)> text;
};

/// Everything in the plan that may tell two runs apart, the axes first.
std::vector<RunColumn> plan_columns(const contract::Plan& plan);
/// For people: those in which the plan's runs differ, under short names, and no names of jobs that
/// run one run.
std::vector<RunColumn> telling_columns(const contract::Plan& plan);
/// Of ShownRun::progress. For people: epoch, elapsed, nodes, job id, reason; for programs: with
/// units in their names and nothing folded.
std::vector<RunColumn> progress_columns();
std::vector<RunColumn> progress_csv_columns();

/// "48 runs: 40 done, 8 planned; 2 of them stale".
std::string count_states(const std::vector<ShownRun>& runs);

/// Begins with each run's id and state.
std::string runs_as_table(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);
std::string runs_as_csv(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);

}  // namespace dlscale::workspace
