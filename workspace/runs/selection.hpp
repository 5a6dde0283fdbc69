// SPDX-License-Identifier: Apache-2.0
// Selects runs of a plan by --where, --state, ids and globs, equally for all verbs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"
#include "runner/batch/job_state.hpp"

namespace dlscale::workspace {

// Selection by --where, ids and globs.

struct SelectionChoice {
  std::vector<std::string> runs;  ///< ids and globs (fnmatch); a run must match one of them
  std::string where;              ///< condition on the point of a run; empty: no condition
  bool allow_empty = false;
  /// Returns false if every run is selected.
  bool narrows() const { return !runs.empty() || !where.empty(); }
};

using RunIds = std::set<std::string>;

/// Returns the ids of the selected runs. A condition may use every axis of the plan, gpus,
/// batch_per_gpu, global_batch and repetition, and substudy if the plan has sub-studies (a run in
/// several sub-studies matches if one of them does). Throws base::SpecError for an invalid
/// condition.
RunIds matching_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// Calls matching_runs. Prints to standard error how many runs match, if not all do, and which id
/// or glob matches no run. Throws base::Error with kExitNothingMatched if no run matches and that
/// is not allowed.
RunIds select_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// Returns the runs with these ids, in the order of the plan.
std::vector<const contract::PlannedRun*> runs_with(const contract::Plan& plan, const RunIds& ids);

/// Expands the study and keeps the points of the selected runs. Runs in `names` keep their names.
/// Prints and throws what select_runs does.
void expand_chosen(planner::Planner& planner, const SelectionChoice& choice,
                   const planner::RunNames& names);

// Selection by state (--state).

struct StateChoice {
  std::vector<std::string> words;
  bool narrows() const { return !words.empty(); }
};

/// Returns the names of the states, in their order.
std::vector<std::string> state_names();

/// Throws base::UsageError with the nearest state for an unknown state.
std::set<runner::JobState> states_of(const StateChoice& choice);

/// Keeps the runs of `ids` in one of the selected states, or all runs if no state is selected.
/// Prints their number to standard error. Throws what select_runs throws if no run is left.
RunIds keep_states(RunIds ids, const StateChoice& choice, const runner::States& states,
                   bool allow_empty);

// Runs named on the command line after an optional plan folder.

/// Separates the plan folder from the run names. The current folder is used if the first word is
/// not a plan folder. Throws base::UsageError if neither is one.
struct NamedRuns {
  contract::PlanDir folder{"."};
  std::vector<std::string> names;

  explicit NamedRuns(std::vector<std::string> words);
};

/// Returns the runs for an id, a prefix of one id, or a glob. Throws base::UsageError for a prefix
/// of several ids, and base::Error with kExitNothingMatched for an unknown id.
std::vector<const contract::PlannedRun*> runs_called(const contract::Plan& plan,
                                                     const std::string& name);

/// Returns the named runs (or all runs) that also match the condition and the states. Throws what
/// runs_called, select_runs and keep_states throw.
std::vector<const contract::PlannedRun*> chosen_runs(const contract::Plan& plan,
                                                     const NamedRuns& named,
                                                     const SelectionChoice& selection,
                                                     const StateChoice& states);

}  // namespace dlscale::workspace
