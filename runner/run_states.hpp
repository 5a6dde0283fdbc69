// SPDX-License-Identifier: Apache-2.0
// How far each run of a plan is, from the files of its folder alone.
#pragma once

#include <map>
#include <string>

#include "contract/plan.hpp"
#include "contract/run_dir.hpp"
#include "runner/job_state.hpp"

namespace dlscale::runner {

/// By run id. Results come first, then the launch log, then what the job script noted of its end.
/// Running means that nobody has noted an end: the batch system is not asked.
std::map<std::string, JobState> run_states(const contract::Plan& plan,
                                           const contract::PlanDir& folder);

}  // namespace dlscale::runner
