// SPDX-License-Identifier: Apache-2.0
// Selects runs of a plan by --where, --state, ids and globs. All commands use the same rules.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/planner.hpp"
#include "runner/batch/job_state.hpp"

namespace dlscale::workspace {

// Selection by a condition (--where), ids and globs.

struct SelectionChoice {
  /// Ids and globs (fnmatch), of which a run must match at least one. In a study of several
  /// sources, only ids and globs with "/" are compared with "SOURCE/RUN".
  std::vector<std::string> runs;
  std::string where;  ///< condition on the point of a run; empty = no condition
  bool allow_empty = false;
  base::Location where_at = {"--where"};  ///< position of the condition, for messages
  /// Returns whether the selection can exclude runs.
  bool narrows() const { return !runs.empty() || !where.empty(); }
};

using RunIds = std::set<std::string>;

/// Returns the ids of the selected runs. A condition may use every axis of the plan, and gpus,
/// batch_per_gpu, global_batch and repetition. If the plan has sub-studies, a condition may also
/// use substudy. A run in several sub-studies matches if one of its sub-studies matches. Throws
/// base::SpecError for an invalid condition.
RunIds matching_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// Returns the result of matching_runs. If not all runs match, prints the number of matching runs
/// to standard error. Also prints each id or glob that matches no run. Throws base::Error with
/// kExitNothingMatched if no run matches and `choice` does not allow this.
RunIds select_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// Returns the runs with these ids, in the order of the plan.
std::vector<const contract::PlannedRun*> runs_with(const contract::Plan& plan, const RunIds& ids);

/// Expands the study and keeps the points of the selected runs. The runs in `names` keep the names
/// given there. Prints and throws what select_runs prints and throws.
void expand_chosen(planner::Planner& planner, const SelectionChoice& choice,
                   const planner::RunNames& names);

// Selection of runs by state (--state).

struct StateChoice {
  std::vector<std::string> words;
  bool narrows() const { return !words.empty(); }
};

/// Returns the names of the states in the order of runner::JobState.
std::vector<std::string> state_names();

/// Returns the selected states. Throws base::UsageError for an unknown state. The message suggests
/// the state with the most similar name.
std::set<runner::JobState> states_of(const StateChoice& choice);

/// Returns the runs of `ids` that are in one of the selected states, or all of `ids` if no state is
/// selected. Prints the number of these runs to standard error. Throws what select_runs throws if
/// no run is left.
RunIds keep_states(RunIds ids, const StateChoice& choice, const runner::States& states,
                   bool allow_empty);

// The following functions find the runs that a user names on the command line after an optional
// plan folder.

/// Words of a command line, divided into the plan folder and the names of runs. If the first word
/// is not a plan folder, the current folder is used. The constructor throws base::UsageError if the
/// current folder is not a plan folder either.
struct NamedRuns {
  contract::PlanDir folder{"."};
  std::vector<std::string> names;

  explicit NamedRuns(std::vector<std::string> words);
};

/// Returns the runs that `name` selects. `name` is a run id, the beginning of one run id, or a
/// glob. Throws base::UsageError if several ids begin with `name`, and base::Error with
/// kExitNothingMatched if no id matches.
std::vector<const contract::PlannedRun*> runs_called(const contract::Plan& plan,
                                                     const std::string& name);

/// Returns the named runs (or all runs) that also match the condition and the states. Throws what
/// runs_called, select_runs and keep_states throw.
std::vector<const contract::PlannedRun*> chosen_runs(const contract::Plan& plan,
                                                     const NamedRuns& named,
                                                     const SelectionChoice& selection,
                                                     const StateChoice& states);

}  // namespace dlscale::workspace
