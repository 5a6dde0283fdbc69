// SPDX-License-Identifier: Apache-2.0
// Defines the columns of tables with one line per run. Also computes values of a run that follow
// from the study.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/runs/run_progress.hpp"

namespace dlscale::workspace {

// The following values of a run follow from the study. Users check them before they spend GPU time.

inline constexpr const char* kUnknownFact = "-";

struct RunFact {
  std::string name;
  std::string value;  ///< value as text; kUnknownFact if unknown
};

/// Returns GPUs, batches, steps, learning rate, time and cost of a run. Every run has the same
/// names in the same order. The steps are known only if the study gives the number of samples, or
/// if all data sets of this kind have the same number of samples.
std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job);

/// Returns the predicted run time with its bounds: "2:03:00 (1:50:00 to 2:40:00)".
std::string predicted_text(const contract::PlannedRun& run);

/// Formats GPU-hours. Large values have no fraction: 0.75, 12, 2322432.
std::string hours(double gpu_hours);

/// Values of selected runs of a plan folder. The folder is read once for all runs.
class ShownRuns {
 public:
  /// Reads the states of the runs. `plan` and `folder` must outlive the object. Throws what
  /// run_states throws.
  ShownRuns(const contract::Plan& plan, const contract::PlanDir& folder,
            const std::vector<const contract::PlannedRun*>& runs);

  /// Returns the complete description of the run.
  contract::RunSpec description(const contract::PlannedRun& run);

  /// Returns the state, the point and the repetition of a run, then the result of facts_of, then
  /// the run's job and the paths of its files. Throws base::SpecError for a run whose job is not in
  /// the plan.
  std::vector<RunFact> facts(const contract::PlannedRun& run);

 private:
  const contract::PlannedJob& job_of(const contract::PlannedRun& run) const;

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  contract::RunTables tables_;
  std::unordered_map<std::string_view, const contract::PlannedJob*> jobs_;  ///< jobs by name
  runner::States states_;                                                   ///< states by run id
};

// The following functions define columns of tables with one line per run.

struct ShownRun {
  const contract::PlannedRun* run;
  runner::JobState state;
  RunProgress progress = {};
};

/// Column: its heading, and a function that returns its value for a run.
struct RunColumn {
  std::string name;
  std::function<std::string(const ShownRun& run)> text;
};

/// Returns all columns in which two runs can differ. Axes come first.
std::vector<RunColumn> plan_columns(const contract::Plan& plan);
/// Returns the columns of a table for people. They are the columns in which the runs of the plan
/// differ, with short names. The names of jobs are left out if each job has one run.
std::vector<RunColumn> telling_columns(const contract::Plan& plan);
/// Return columns of ShownRun::progress. progress_columns() is for people: epoch, elapsed time,
/// nodes, job id and reason. progress_csv_columns() is for programs: its names contain units, and
/// its values are not shortened.
std::vector<RunColumn> progress_columns();
std::vector<RunColumn> progress_csv_columns();

/// Returns the number of runs in each state, for example "48 runs: 40 done, 8 planned; 2 of them
/// stale".
std::string count_states(const std::vector<ShownRun>& runs);

/// Returns all runs in their order if there are at most `most` runs. Otherwise sorts the runs by
/// state (running, failed, waiting, planned, done, not needed) and returns the first `most` runs.
std::vector<ShownRun> most_telling(const std::vector<ShownRun>& runs, std::size_t most);
/// Returns the runs that are running or have failed.
std::vector<ShownRun> worth_a_look(const std::vector<ShownRun>& runs);

/// Returns the number and the states of the runs in `all` that are not in `shown`: "… and 96 more:
/// 90 done, 6 planned". Returns an empty text if there are none.
std::string count_others(const std::vector<ShownRun>& all, const std::vector<ShownRun>& shown);

/// Return a table with one row for each run. A row starts with the id and the state of the run.
std::string runs_as_table(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);
std::string runs_as_csv(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);

}  // namespace dlscale::workspace
