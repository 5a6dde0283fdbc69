// SPDX-License-Identifier: Apache-2.0
// Determines the environment variables that programs and jobs of a site get, and reports the
// variables that were removed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/clean_environment.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Makes jobs find the mpirun that pip installed into `programs`, the folder of dlscale and its
/// trainer. The trainer then uses the MPI library of the same installation. Changes nothing if the
/// folder has no mpirun, or if LD_LIBRARY_PATH leads the trainer to another MPI library, for
/// example the one of a module.
void use_mpirun_of_trainer(runner::Environment& variables, const std::filesystem::path& programs);

/// Returns the environment for jobs of a site. On the local machine, jobs use the mpirun that was
/// installed with the trainer.
runner::CleanEnvironment job_environment(const planner::Site& site);
/// Returns the environment for jobs according to the site file in a plan folder. Without a site
/// file, returns the environment for `scheduler`. Throws base::SpecError for an invalid site file.
runner::CleanEnvironment job_environment(const contract::PlanDir& folder,
                                         const std::string& scheduler);

/// Returns one line that lists the removed variables and explains how to keep a variable. Returns
/// an empty text if no variables were removed.
std::string removed_variables_line(const std::vector<std::string>& removed);

/// Returns the removed variables as a check of `dlscale doctor`.
Check check_environment(const std::vector<std::string>& removed);

}  // namespace dlscale::workspace
