// SPDX-License-Identifier: Apache-2.0
// Adds repetitions one at a time while the confidence interval of an efficiency is wider than the
// study allows.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "runner/batch/job_state.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Returns a function that the launcher calls when all submitted runs have ended. The function
/// returns the runs of `selected` to submit next: further repetitions of the points whose
/// confidence interval is wider than the study permits. The function returns no runs when each
/// point has a narrow enough interval or has all its repetitions. If the study sets no maximum
/// width, the result is an empty function. `place` must outlive the function.
std::function<std::set<std::string>()> adaptive_repeats(const LaunchFolder& place, RunIds selected);

/// Returns the selected runs without the repetitions that run only when needed.
RunIds without_adaptive_repeats(const contract::Plan& plan, const RunIds& selected);

using States = runner::States;  ///< states by run id

/// Returns the planned repetitions that `dlscale submit` would skip with the present results, by
/// run id and with the reason. A repetition is not included if the decision depends on first
/// repetitions that are unfinished, or on results that cannot be read. May update the database of
/// the folder.
std::map<std::string, std::string> unneeded_repeats(const contract::Plan& plan,
                                                    const contract::PlanDir& folder,
                                                    const States& states);

/// Returns the states from runner::run_states. Unneeded repetitions have the state
/// JobState::NotNeeded.
States states_now(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
