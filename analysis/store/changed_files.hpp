// SPDX-License-Identifier: Apache-2.0
// Finds out whether the runs of a plan folder changed after the last `dlscale collect`.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns the files that the last collect did not read in their present form, relative to the plan
/// folder and sorted: files whose size differs, files that were added or deleted, and folders of
/// new launches. Returns nothing for a folder of imported logs, which may be deleted after their
/// import. The database must exist. Times of files are not compared, because copying a plan folder
/// changes them.
std::vector<std::string> files_changed_since_collect(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
