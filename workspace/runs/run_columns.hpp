// SPDX-License-Identifier: Apache-2.0
// Defines the columns of tables with one line per run, and the values that follow from a study for
// one run.
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

// Values that follow from a study for one run, which users check before they use GPU time.

inline constexpr const char* kUnknownFact = "-";

struct RunFact {
  std::string name;
  std::string value;  ///< kUnknownFact if unknown
};

/// Returns GPUs, batches, steps, learning rate, time and cost, with the same names in the same
/// order for every run. Steps need the size of the data set, from the study or fixed for its kind.
std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job);

/// Returns the predicted run time with its band: "2:03:00 (1:50:00 to 2:40:00)".
std::string predicted_text(const contract::PlannedRun& run);

/// Formats GPU-hours, without a fraction for large values: 0.75, 12, 2322432.
std::string hours(double gpu_hours);

/// Values of selected runs of a plan folder, read once for all of them.
class ShownRuns {
 public:
  /// `plan` and `folder` must outlive the object. Throws what run_states throws.
  ShownRuns(const contract::Plan& plan, const contract::PlanDir& folder,
            const std::vector<const contract::PlannedRun*>& runs);

  /// Returns the run's full description.
  contract::RunSpec description(const contract::PlannedRun& run);

  /// Returns state, point and repetition of a run, facts_of, then its job and where its files are.
  /// Throws base::SpecError for a run whose job the plan does not have.
  std::vector<RunFact> facts(const contract::PlannedRun& run);

 private:
  const contract::PlannedJob& job_of(const contract::PlannedRun& run) const;

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  contract::RunTables tables_;
  std::unordered_map<std::string_view, const contract::PlannedJob*> jobs_;  ///< by name
  runner::States states_;                                                   ///< by run id
};

// Columns of tables with one line per run.

struct ShownRun {
  const contract::PlannedRun* run;
  runner::JobState state;
  RunProgress progress = {};
};

/// Heading of a column, and its value for a run.
struct RunColumn {
  std::string name;
  std::function<std::string(const ShownRun& run)> text;
};

/// Returns all columns that may distinguish two runs, axes first.
std::vector<RunColumn> plan_columns(const contract::Plan& plan);
/// Returns columns for users: those in which the runs of the plan differ, with short names, without
/// names of single-run jobs.
std::vector<RunColumn> telling_columns(const contract::Plan& plan);
/// Returns columns of ShownRun::progress. For users: epoch, elapsed time, nodes, job id and reason.
/// For programs: with units in the names, and unshortened.
std::vector<RunColumn> progress_columns();
std::vector<RunColumn> progress_csv_columns();

/// Returns a summary such as "48 runs: 40 done, 8 planned; 2 of them stale".
std::string count_states(const std::vector<ShownRun>& runs);

/// Returns rows that start with the id and state of each run.
std::string runs_as_table(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);
std::string runs_as_csv(const std::vector<ShownRun>& runs, const std::vector<RunColumn>& columns);

}  // namespace dlscale::workspace
