// SPDX-License-Identifier: Apache-2.0
// Which runs of a plan a verb is about: --where, --state, ids and globs, the same on every verb.
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

// Which runs of a plan a verb is about: --where, ids and globs, the same on every verb.

struct SelectionChoice {
  std::vector<std::string>
      runs;           ///< ids and globs (fnmatch); a run that one of them names is meant
  std::string where;  ///< condition on the run's point; empty = none
  bool allow_empty = false;
  /// False when every run is meant.
  bool narrows() const { return !runs.empty() || !where.empty(); }
};

using RunIds = std::set<std::string>;

/// The ids of the runs that are meant. A condition may name every axis of the plan and always gpus,
/// batch_per_gpu, global_batch and repetition; substudy where the plan has any (a run of several
/// matches when one of them does). Throws base::SpecError for a condition that is none.
RunIds matching_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// As matching_runs. Says on standard error how many match, if not all are meant, and which id or
/// glob names no run. Throws base::Error with kExitNothingMatched where none is left and that is
/// not allowed.
RunIds select_runs(const contract::Plan& plan, const SelectionChoice& choice);

/// The runs with these ids, in the plan's order.
std::vector<const contract::PlannedRun*> runs_with(const contract::Plan& plan, const RunIds& ids);

/// Expands the study and keeps the points of the chosen runs. Runs that `names` knows keep their
/// names. Reports and throws as select_runs does.
void expand_chosen(planner::Planner& planner, const SelectionChoice& choice,
                   const planner::RunNames& names);

// Runs chosen by how far they are: --state, the same on every verb.

struct StateChoice {
  std::vector<std::string> words;
  bool narrows() const { return !words.empty(); }
};

/// The words that name the states, in the order of the states.
std::vector<std::string> state_names();

/// Throws base::UsageError naming the nearest state for a word that is none.
std::set<runner::JobState> states_of(const StateChoice& choice);

/// Leaves those of `ids` that are in one of the chosen states; all where none is chosen. Says how
/// many they are on standard error. Throws as select_runs does when none is left.
RunIds keep_states(RunIds ids, const StateChoice& choice, const runner::States& states,
                   bool allow_empty);

// Runs named on the command line after the plan folder, which may be left out.

/// Words of which the first is a plan folder, if it is one; else the folder is the current one.
/// Throws base::UsageError when neither is one.
struct NamedRuns {
  contract::PlanDir folder{"."};
  std::vector<std::string> names;

  explicit NamedRuns(std::vector<std::string> words);
};

/// The runs that an id, the beginning of one id or a glob stands for. Throws base::UsageError for
/// the beginning of several and base::Error with kExitNothingMatched for that of none.
std::vector<const contract::PlannedRun*> runs_called(const contract::Plan& plan,
                                                     const std::string& name);

/// Those named, if any are, of those that the condition and the states leave. Throws what
/// runs_called, select_runs and keep_states throw.
std::vector<const contract::PlannedRun*> chosen_runs(const contract::Plan& plan,
                                                     const NamedRuns& named,
                                                     const SelectionChoice& selection,
                                                     const StateChoice& states);

}  // namespace dlscale::workspace
