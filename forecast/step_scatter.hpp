// SPDX-License-Identifier: Apache-2.0
// What the step windows of a run say of how far its steps, and its ranks, were apart.
#pragma once

#include "contract/plan/run_dir.hpp"

namespace dlscale::forecast {

struct StepScatter {
  /// Of a rank's step: of one rank alone as its windows follow each other, of several as what they
  /// waited for the slowest of them makes it. 0: not recorded, or too few windows.
  double deviation_s = 0;
  /// Of a step, mean over ranks: what stood still until the slowest rank was there.
  double wait_s = 0;
  /// Of the time in which collectives were under way the share until all ranks were there.
  double wait_share = 0;
};

/// Of the launch with most windows, those with one-time costs left out. All 0 where there are no
/// records of `dlscale-train`. Throws base::RunError where they cannot be read.
StepScatter step_scatter(const contract::RunDir& run, int ranks);

}  // namespace dlscale::forecast
