// SPDX-License-Identifier: Apache-2.0
// Determines which environment variables reach programs and jobs of a site, and reports the removed
// ones.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/clean_environment.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

runner::CleanEnvironment job_environment(const planner::Site& site);
/// Returns the environment for jobs according to the site file of a plan folder, or for `scheduler`
/// if there is none. Throws base::SpecError for an invalid site file.
runner::CleanEnvironment job_environment(const contract::PlanDir& folder,
                                         const std::string& scheduler);

/// Returns one line with the removed variables and how to keep one; empty if there are none.
std::string removed_variables_line(const std::vector<std::string>& removed);

/// Returns the removed variables as a check of `dlscale doctor`.
Check check_environment(const std::vector<std::string>& removed);

}  // namespace dlscale::workspace
