// SPDX-License-Identifier: Apache-2.0
// Turns what ranks measured over steps into step_window and epoch records.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "contract/result_record.hpp"
#include "trainer/record/result_writer.hpp"
#include "trainer/record/spread.hpp"

namespace dlscale::trainer {

/// The steps a window is made of.
struct WindowSteps {
  int epoch = 0;
  std::int64_t first_step = 0;
  int steps = 0;
  std::int64_t global_batch = 0;
  double lr = 0;
};

/// The record of a window from what its ranks measured; `time` and `warmup` are left to the caller.
contract::StepWindow make_window(const WindowSteps& steps, const std::vector<RankWindow>& ranks);

/// One for a launch. Writing is rank 0's; every rank gets the same values back.
class StepRecorder {
 public:
  StepRecorder(CollectiveQueue& queue, ResultWriter& writer, const base::Clock& clock)
      : queue_(queue), writer_(writer), clock_(clock) {}

  void start_epoch();
  /// **Collective.** Writes a step_window. Returns its mean training loss.
  double finish_window(const WindowSteps& steps, const BlockTimes& times, double loss_sum,
                       double peak_memory_bytes);
  /// Writes the record of the epoch that the windows since start_epoch make up.
  contract::EpochRecord finish_epoch();

 private:
  CollectiveQueue& queue_;
  ResultWriter& writer_;
  const base::Clock& clock_;
  CommStats counted_;        ///< communication already in an earlier window or outside of any
  double epoch_wall_s_ = 0;  ///< this rank's
  double loss_sum_ = 0;      ///< of the epoch's steps, mean over ranks
  contract::EpochRecord epoch_;
  bool first_window_ = true;
};

}  // namespace dlscale::trainer
