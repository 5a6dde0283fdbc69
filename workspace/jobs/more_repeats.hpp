// SPDX-License-Identifier: Apache-2.0
// Repetitions beyond the first ones: submitted one at a time, as long as an efficiency is less
// certain than the study wants.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "runner/batch/job_state.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Asked when all that was submitted has ended: the next repetitions among `selected`, none when
/// every point is certain enough or has had the most repetitions. Empty where the study asks for
/// no certainty. `place` must outlive it.
std::function<std::set<std::string>()> more_repeats(const LaunchFolder& place, RunIds selected);

/// Leaves those that are not repetitions beyond the first ones.
RunIds without_more_repeats(const contract::Plan& plan, const RunIds& selected);

using States = runner::States;  ///< by run id

/// Planned repetitions that `submit` would not ask for by the results there are now, and why, by
/// run id. As long as the first repetitions they depend on have not ended nothing is said of them;
/// nor where results cannot be read. May bring the folder's database up to date.
std::map<std::string, std::string> unneeded_repeats(const contract::Plan& plan,
                                                    const contract::PlanDir& folder,
                                                    const States& states);

/// As runner::run_states, with JobState::NotNeeded for those that are not.
States states_now(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::workspace
