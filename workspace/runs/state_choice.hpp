// SPDX-License-Identifier: Apache-2.0
// Runs chosen by how far they are: --state, the same on every verb.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runner/batch/job_state.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

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

}  // namespace dlscale::workspace
