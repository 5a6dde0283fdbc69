// SPDX-License-Identifier: Apache-2.0
// The columns of tables that have a line for each run, and what follows from a study for one run.
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

// What follows from a study for one run, as people check it before they spend GPU time.

inline constexpr const char* kUnknownFact = "-";

struct RunFact {
  std::string name;
  std::string value;  ///< kUnknownFact where nothing is known
};

/// GPUs, batches, steps, learning rate, time and cost: the same names in the same order for every
/// run. Steps need the size of the data set: that of the study, or of its kind where it is fixed.
std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job);

/// Returns the predicted run time with its band: "2:03:00 (1:50:00 to 2:40:00)".
std::string predicted_text(const contract::PlannedRun& run);

/// GPU-hours: few as they are, many without a fraction: 0.75, 12, 2322432.
std::string hours(double gpu_hours);

/// What a plan folder says of some of its runs, read once for all of them.
class ShownRuns {
 public:
  /// `plan` and `folder` must outlive this. Throws what run_states throws.
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

// The columns of tables that have a line for each run.

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
