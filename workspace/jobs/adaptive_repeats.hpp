// SPDX-License-Identifier: Apache-2.0
// Adds repetitions one at a time while an efficiency is less certain than the study requires.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "runner/batch/job_state.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Returns a function that is called when all submitted runs have ended. It returns the next
/// repetitions among `selected`, or none when every point is certain enough or has all its
/// repetitions. Returns an empty function if the study sets no accuracy. `place` must outlive the
/// function.
std::function<std::set<std::string>()> more_repeats(const LaunchFolder& place, RunIds selected);

/// Keeps only runs that are not additional repetitions.
RunIds without_more_repeats(const contract::Plan& plan, const RunIds& selected);

using States = runner::States;  ///< by run id

/// Returns planned repetitions that `submit` would skip given the current results, with the reason,
/// by run id. Repetitions that depend on unfinished first repetitions or unreadable results are not
/// included. May update the database of the folder.
std::map<std::string, std::string> unneeded_repeats(const contract::Plan& plan,
                                                    const contract::PlanDir& folder,
                                                    const States& states);

/// Returns runner::run_states, with JobState::NotNeeded for unneeded repetitions.
States states_now(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
