// SPDX-License-Identifier: Apache-2.0
// Runs named on the command line after the plan folder, which may be left out.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/runs/state_choice.hpp"

namespace dlscale::workspace {

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
