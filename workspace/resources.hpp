// SPDX-License-Identifier: Apache-2.0
// Finds the files of the installation: templates, sites, shared data and the trainer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// Returns <prefix>/share/dlscale relative to the running program (build tree or installation), or
/// $DLSCALE_SHARE if set. Throws base::RunError with the missing folder.
std::filesystem::path share_folder();

/// Returns `dlscale-train` in the folder of the running program, if it was built.
std::optional<std::filesystem::path> trainer_beside();

/// Returns the capabilities of the trainer of this build (share/dlscale/capabilities.json). Empty
/// if only the login tools were built.
std::optional<std::filesystem::path> built_capabilities();

/// Returns all resources for the planner, with the user's job template if one is given. Throws
/// base::UsageError if that is not a file.
planner::Resources shipped_resources(const std::string& job_template = {});

}  // namespace dlscale::workspace
