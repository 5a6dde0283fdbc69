// SPDX-License-Identifier: Apache-2.0
// How far each run of a plan is, from the files of its folder alone.
#pragma once

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

/// The launch log of a folder, folded; empty when there is none.
LaunchHistory read_history(const contract::PlanDir& folder);

/// A completed run is done, whatever else is said; then the launch log counts, then the
/// run's last record, then what the job script noted of its end. Running means that nobody has
/// noted an end: the batch system is not asked. Files of runs that the log calls done, or that
/// have never been started, are not opened.
States run_states(const contract::Plan& plan, const contract::PlanDir& folder,
                  const LaunchHistory& history);
States run_states(const contract::Plan& plan, const contract::PlanDir& folder);

}  // namespace dlscale::runner
