// SPDX-License-Identifier: Apache-2.0
// Removes figures of an earlier `dlscale collect` that can no longer be drawn.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Removes the figures that an earlier `dlscale collect` wrote into figures/ and that `written`,
/// the files of the current one, no longer contains. Returns the names of the removed files.
///
/// A list in the folder has the digests of the files that `collect` wrote. Files that are not in
/// the list, or that were changed or replaced since, belong to the user and stay. If a figure was
/// drawn again but one of its files could not be made, the earlier file stays, too.
std::vector<std::string> remove_stale_figures(const contract::PlanDir& folder,
                                              const std::vector<std::filesystem::path>& written);

}  // namespace dlscale::workspace
