// SPDX-License-Identifier: Apache-2.0
// Where the files lie that `dlscale` brings along: templates, sites, the trainer beside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "planner/planner.hpp"

namespace dlscale::workspace {

/// <prefix>/share/dlscale, from the place of the running program (build tree or installation), or
/// $DLSCALE_SHARE when set. Throws base::RunError naming the folder looked for.
std::filesystem::path share_folder();

/// `dlscale-train` beside the running program, if it was built.
std::optional<std::filesystem::path> trainer_beside();

/// What the trainer built beside this program can do: share/dlscale/capabilities.json, written by
/// the build. Empty when only the login-node tools were built.
std::optional<std::filesystem::path> built_capabilities();

/// All of this for the planner, with a job template of the user's own if one is named. Throws
/// base::UsageError where that is no file.
planner::Resources shipped_resources(const std::string& job_template = {});

}  // namespace dlscale::workspace
