// SPDX-License-Identifier: Apache-2.0
// What only some parts of a trainer count.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/result_record.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// For the record: keys of it, and how much was counted in its time.
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

// What ranks measured, brought together and summed up.

/// What one rank measured over a window of steps. Holds doubles only: it travels as such.
struct RankWindow {
  BlockTimes times;
  double epoch_wall_s = 0;  ///< since the epoch's first step
  double loss_sum = 0;      ///< over the window's steps
  double comm_bytes = 0;
  double collectives = 0;
  double comm_busy_s = 0;
  double comm_wait_s = 0;
  double peak_memory_bytes = 0;
  double loader_busy_s = 0;
  double loader_bytes = 0;
  double skipped_samples = 0;
  double stop = 0;     ///< 1: was told that the time is nearly up
  double save = 0;     ///< 1: finds that a checkpoint is due
  double writing = 0;  ///< 1: is still writing the last one
};

/// **Collective.** What every rank measured, by rank; the same on all ranks.
std::vector<RankWindow> gather(const RankWindow& mine, CollectiveQueue& queue);

/// Mean, median, 90th percentile (both interpolated linearly between neighbours) and maximum.
/// `values` must not be empty.
contract::Spread spread(std::vector<double> values);

}  // namespace dlscale::trainer
