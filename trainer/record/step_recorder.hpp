// SPDX-License-Identifier: Apache-2.0
// Conversion of the measurements of all ranks to step_window and epoch records.
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

/// Steps of a window.
struct WindowSteps {
  int epoch = 0;
  std::int64_t first_step = 0;
  int steps = 0;
  std::int64_t global_batch = 0;
  double lr = 0;
};

/// Returns the record of a window from the measurements of its ranks. The caller sets `time` and
/// `warmup`.
contract::StepWindow make_window(const WindowSteps& steps, const std::vector<RankWindow>& ranks);

/// Requests of a rank at the end of a window.
struct WindowRequests {
  bool stop = false;     ///< rank has been warned that its time is nearly up
  bool save = false;     ///< checkpoint is due on the rank
  bool writing = false;  ///< previous checkpoint is still being written
};

/// Results of a finished window that all ranks share.
struct WindowEnd {
  double train_loss = 0;  ///< mean over steps and ranks
  double wall_s = 0;
  WindowRequests requests;  ///< requests of any rank
};

/// Measurements and requests of one rank at the end of a window.
struct RankMeasures {
  BlockTimes times;
  double loss_sum = 0;
  double peak_memory_bytes = 0;
  WindowRequests requests;
  Counts counts;  ///< optional counts; only those of rank 0 are recorded
  LoaderWork loading = {};
};

/// Recorder of a launch. Only rank 0 writes records. Every rank gets the same results.
class StepRecorder {
 public:
  StepRecorder(CollectiveQueue& queue, ResultWriter& writer, const base::Clock& clock)
      : queue_(queue), writer_(writer), clock_(clock) {}

  /// Starts an epoch. `so_far` are the sums that earlier launches reached in this epoch.
  void start_epoch(const contract::EpochSums& so_far = {});
  /// **Collective.** Writes a step_window and returns the shared results of the window.
  WindowEnd finish_window(const WindowSteps& steps, const RankMeasures& mine);
  /// Returns the sums over the windows of the epoch.
  const contract::EpochSums& sums() const { return sums_; }
  /// Returns the record of the epoch.
  contract::EpochRecord epoch_record(int epoch) const;
  /// Returns the working seconds of each rank in the windows of the epoch that this launch has run.
  /// Returns nothing with a single rank or without a window. Ranks with an equal rank % `stages` do
  /// equal work. With `stages` = 0, all ranks do equal work.
  std::optional<contract::RankTimes> rank_times(int epoch, int stages) const;
  /// Excludes the communication since `before` from the windows.
  void leave_out_since(const CommStats& before);

 private:
  /// Sums over windows of an epoch.
  struct RankWork {
    std::int64_t steps = 0;
    std::vector<double> work_s;             ///< working seconds of each rank
    std::vector<double> peak_memory_bytes;  ///< peak of each rank since the launch began
  };

  void add_to_epoch(const contract::StepWindow& window, const std::vector<RankWindow>& ranks);

  CollectiveQueue& queue_;
  ResultWriter& writer_;
  const base::Clock& clock_;
  CommStats counted_;         ///< communication already counted in a window, or excluded
  double epoch_wall_s_ = 0;   ///< seconds of this rank in this launch
  double wall_s_before_ = 0;  ///< seconds of the epoch in earlier launches
  contract::EpochSums sums_;
  RankWork steady_, warmup_;  ///< warm-up is kept apart, as ranks share one-time costs unequally
  bool first_window_ = true;
};

}  // namespace dlscale::trainer
