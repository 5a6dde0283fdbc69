// SPDX-License-Identifier: Apache-2.0
// Reads the training loss of each step window from the database. A study can have millions of step
// windows, so they are not part of a Frame and are read only for the runs that are shown.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct WindowLoss {
  int epoch = 0;                ///< epoch number, from 0
  std::int64_t first_step = 0;  ///< number of the first step, from 0 over the whole run
  std::int64_t steps = 0;
  double train_loss = 0;  ///< mean over the steps of the window; always finite
  double wall_s = 0;      ///< wall time of the slowest rank; NaN: not recorded
};

/// Returns the step windows of these runs that recorded their steps and a training loss, by run id.
/// They come from the last completed launch of a run and from the launches that this launch resumed
/// from, in the order of the steps. Each step counts once. Runs without such windows are left out.
/// Throws base::RunError if the database cannot be used.
std::map<std::string, std::vector<WindowLoss>> read_window_losses(
    const contract::PlanDir& folder, const std::set<std::string>& run_ids);

}  // namespace dlscale::analysis
