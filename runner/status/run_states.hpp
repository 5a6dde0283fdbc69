// SPDX-License-Identifier: Apache-2.0
// Determines the state of each run of a plan from the files of the plan folder alone.
#pragma once

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

/// Returns the present state of all submissions according to the launch log of a plan folder.
/// Returns an empty history without a launch log.
LaunchHistory read_history(const contract::PlanDir& folder);

/// Returns the state of each run. The sources, in order of precedence, are:
/// - a launch that trained to the end, which makes the run Done,
/// - the launch log,
/// - the last record of the run,
/// - the end that the job script recorded.
///
/// The batch system is not queried, so Running means that no file records an end. The function does
/// not open the files of runs that are Done in the log or that have never started.
States run_states(const contract::Plan& plan, const contract::PlanDir& folder,
                  const LaunchHistory& history);
States run_states(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::runner
