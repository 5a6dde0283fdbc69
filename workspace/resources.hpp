// SPDX-License-Identifier: Apache-2.0
// Finds the files of the installation: templates, sites, shared data and the trainer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Returns $DLSCALE_SHARE if it is set. Otherwise returns <prefix>/share/dlscale, where <prefix> is
/// the build tree or the installation of the running program. Throws base::RunError with the
/// missing folder.
std::filesystem::path share_folder();

/// Returns the path of `dlscale-train` in the folder of the running program, or nothing if it was
/// not built.
std::optional<std::filesystem::path> trainer_beside();

/// Returns the path of the demo study. Throws base::RunError if the file is missing.
std::filesystem::path demo_study();

/// Returns the path of the capabilities of this build's trainer (share/dlscale/capabilities.json),
/// or nothing if this build has no trainer.
std::optional<std::filesystem::path> built_capabilities();

/// Returns all resources for the planner. If `job_template` is not empty, it replaces the job
/// template. Throws base::UsageError if `job_template` is not a file.
planner::Resources shipped_resources(const std::string& job_template = {});

}  // namespace dlscale::workspace
