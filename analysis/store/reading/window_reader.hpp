// SPDX-License-Identifier: Apache-2.0
// Reads the training loss and the peak memory of step windows from the database. A study can have
// millions of step windows, so they are read only for the runs that are shown.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// Returns, by run id, the step windows of these runs for which a number of steps and a training
/// loss are recorded. The windows come from the last completed launch of a run and from the
/// launches that this launch resumed from, in the order of the steps. Each step counts once. Runs
/// without such windows are left out. Throws base::RunError if the database cannot be used.
std::map<std::string, std::vector<WindowLoss>> read_window_losses(
    const contract::PlanDir& folder, const std::set<std::string>& run_ids);

/// Returns, by run id, the peak memory in bytes of the rank with the highest peak in the last
/// completed launch of the run. Runs that did not record their peak memory are left out. Throws
/// base::RunError if the database cannot be used.
std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder,
                                               const std::set<std::string>& run_ids);

}  // namespace dlscale::analysis
