// SPDX-License-Identifier: Apache-2.0
// Makes the script that describes the code and the software of external runs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"

namespace dlscale::planner {

/// Returns the file of the training script that a shell command names, or an empty path. Relative
/// paths are relative to `folder`. A file that ends in .py takes precedence over one that ends in
/// .sh, and both over other files.
std::filesystem::path script_in(std::string_view command, const std::filesystem::path& folder);

/// Returns the text of software/describe.sh for the plan folder at the absolute path `out`. The
/// file `describe_software.sh.mustache` in the folder `templates` is its template. Requires a study
/// with an external trainer.
std::string describe_script(const Planning& planning, const std::filesystem::path& templates,
                            const contract::PlanDir& out);

}  // namespace dlscale::planner
