// SPDX-License-Identifier: Apache-2.0
// Which of the user's variables programs and jobs of a site get, and how the others are reported.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/clean_environment.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

runner::CleanEnvironment job_environment(const planner::Site& site);
/// By the site file in a plan folder, and `scheduler` where the folder has none. Throws
/// base::SpecError for a site file that is wrong.
runner::CleanEnvironment job_environment(const contract::PlanDir& folder,
                                         const std::string& scheduler);

/// One line that names the removed variables and says how to keep one; empty when there is none.
std::string removed_variables_line(const std::vector<std::string>& removed);

/// The same as a check of `dlscale doctor`.
Check check_environment(const std::vector<std::string>& removed);

}  // namespace dlscale::workspace
