// SPDX-License-Identifier: Apache-2.0
// Determines the state of each run of a plan from the files of the plan folder alone.
#pragma once

#include <set>
#include <string>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

/// Returns the current state of all submissions, as the launch log of a plan folder records it.
/// Returns an empty history if there is no launch log.
LaunchHistory read_history(const contract::PlanDir& folder);

/// Returns the state of each run. The state comes from the first of these sources that applies:
/// - A launch that trained to the end. The run is then Done.
/// - The launch log.
/// - The last record of the run.
/// - The end that the job script recorded.
///
/// The batch system is not queried, so Running means only that no file records an end. The files of
/// runs that are Done in the log, or that have never started, are not opened.
States run_states(const contract::Plan& plan, const contract::PlanDir& folder,
                  const LaunchHistory& history);
States run_states(const contract::Plan& plan, const contract::PlanDir& folder);

/// Returns the external runs that are Done in `states`. The results of such runs need not state
/// that the run completed, but the launch log and the records of the job scripts do.
std::set<std::string> completed_external_runs(const contract::Plan& plan,
                                              const contract::PlanDir& folder,
                                              const States& states);

}  // namespace dlscale::runner
