// SPDX-License-Identifier: Apache-2.0
// Measurements of each rank over a window of training steps, the exchange of these measurements
// between ranks, and their statistics over ranks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "contract/records/result_record.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// Optional event counts for the record of a window. Each element holds the key in the record and
/// the number of events in the window.
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

// The following types and functions exchange and summarise the measurements of all ranks.

/// Measurements of one rank over a window of steps. All members are doubles, because the struct is
/// sent as an array of doubles.
struct RankWindow {
  BlockTimes times;
  double epoch_wall_s = 0;  ///< seconds since the first step of the epoch
  double loss_sum = 0;      ///< sum of the losses of all steps in the window
  double correct = 0;       ///< number of samples in the window that were classified correctly
  double comm_bytes = 0;
  double collectives = 0;
  double comm_busy_s = 0;
  double comm_wait_s = 0;
  double peak_memory_bytes = 0;
  double loader_busy_s = 0;
  double loader_bytes = 0;
  double skipped_samples = 0;
  double stop = 0;     ///< 1 when the rank was warned that the time limit is near, else 0
  double save = 0;     ///< 1 when this rank requests a checkpoint, else 0
  double writing = 0;  ///< 1 while this rank still writes the previous checkpoint, else 0
};

/// **Collective.** Returns the measurements of all ranks, in rank order. The result is the same on
/// all ranks.
std::vector<RankWindow> gather(const RankWindow& mine, CollectiveQueue& queue);

/// Returns the mean, the median, the 90th percentile and the maximum of `values`. The median and
/// the percentile are interpolated linearly between neighbouring values. `values` must not be
/// empty.
contract::Spread spread(std::vector<double> values);

/// Rounds `value` to 5 significant digits, so that a record with the values of 1,024 ranks stays
/// short.
double rounded(double value);

}  // namespace dlscale::trainer
