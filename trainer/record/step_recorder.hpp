// SPDX-License-Identifier: Apache-2.0
// Turns what ranks measured over steps into step_window and epoch records.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "contract/records/checkpoint.hpp"
#include "contract/records/result_record.hpp"
#include "trainer/data/loader_work.hpp"
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

/// What a rank wants to happen when a window ends.
struct WindowWishes {
  bool stop = false;     ///< it was told that the time is nearly up
  bool save = false;     ///< it finds that a checkpoint is due
  bool writing = false;  ///< it is still writing the last one
};

/// What all ranks know of a window that has ended.
struct WindowEnd {
  double train_loss = 0;  ///< mean
  double wall_s = 0;
  WindowWishes wishes;  ///< of any rank
};

/// What a rank knows of a window when it ends.
struct RankMeasures {
  BlockTimes times;
  double loss_sum = 0;
  double peak_memory_bytes = 0;
  WindowWishes wishes;
  Counts counts;  ///< rank 0's are written
  LoaderWork loading = {};
};

/// One for a launch. Writing is rank 0's; every rank gets the same values back.
class StepRecorder {
 public:
  StepRecorder(CollectiveQueue& queue, ResultWriter& writer, const base::Clock& clock)
      : queue_(queue), writer_(writer), clock_(clock) {}

  /// `so_far`: what earlier launches did of the epoch.
  void start_epoch(const contract::EpochSums& so_far = {});
  /// **Collective.** Writes a step_window.
  WindowEnd finish_window(const WindowSteps& steps, const RankMeasures& mine);
  /// What the epoch's windows sum up to.
  const contract::EpochSums& sums() const { return sums_; }
  /// The record of the epoch.
  contract::EpochRecord epoch_record(int epoch) const;
  /// What each rank worked in the windows of the epoch that this launch has had; nothing with one
  /// rank, or without a window. Ranks of equal rank % `stages` do equal work; 0: all do.
  std::optional<contract::RankTimes> rank_times(int epoch, int stages) const;
  /// Communication since `before` belongs to no window.
  void leave_out_since(const CommStats& before);

 private:
  /// Over windows of an epoch.
  struct RankWork {
    std::int64_t steps = 0;
    std::vector<double> work_s;             ///< by rank
    std::vector<double> peak_memory_bytes;  ///< by rank, since the launch began
  };

  void add_to_epoch(const contract::StepWindow& window, const std::vector<RankWindow>& ranks);

  CollectiveQueue& queue_;
  ResultWriter& writer_;
  const base::Clock& clock_;
  CommStats counted_;         ///< communication already in an earlier window or outside of any
  double epoch_wall_s_ = 0;   ///< this rank's, in this launch
  double wall_s_before_ = 0;  ///< of the epoch, in earlier launches
  contract::EpochSums sums_;
  RankWork steady_, warmup_;  ///< one-time costs are apart, since ranks share them unequally
  bool first_window_ = true;
};

}  // namespace dlscale::trainer
