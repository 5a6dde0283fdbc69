// SPDX-License-Identifier: Apache-2.0
// Conversion of the measurements of all ranks to the records step_window and epoch.
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

/// Steps that belong to a window.
struct WindowSteps {
  int epoch = 0;
  std::int64_t first_step = 0;
  int steps = 0;
  std::int64_t global_batch = 0;
  double lr = 0;
};

/// Returns the record of a window, computed from the measurements of all ranks. The caller must set
/// the fields `time` and `warmup`.
contract::StepWindow make_window(const WindowSteps& steps, const std::vector<RankWindow>& ranks);

/// Requests of a rank at the end of a window.
struct WindowRequests {
  bool stop = false;     ///< true when the rank was warned that the time limit is near
  bool save = false;     ///< true when the rank requests a checkpoint
  bool writing = false;  ///< true while the rank still writes the previous checkpoint
};

/// Results of a finished window. The results are the same on all ranks.
struct WindowEnd {
  double train_loss = 0;  ///< mean loss over the steps of the window and over the ranks
  double wall_s = 0;
  WindowRequests requests;  ///< each request is true when at least one rank has made it
};

/// Measurements and requests of one rank at the end of a window.
struct RankMeasures {
  BlockTimes times;
  double loss_sum = 0;
  double peak_memory_bytes = 0;
  WindowRequests requests;
  Counts counts;  ///< optional event counts, recorded only for rank 0
  LoaderWork loading = {};
  /// Number of samples that the rank classified correctly. Empty on all ranks if not counted.
  std::optional<std::int64_t> correct = {};
};

/// Recorder of the step windows and epochs of a launch. Only rank 0 writes records, but all
/// functions return the same results on every rank.
class StepRecorder {
 public:
  StepRecorder(CollectiveQueue& queue, ResultWriter& writer, const base::Clock& clock)
      : queue_(queue), writer_(writer), clock_(clock) {}

  /// Starts an epoch. If earlier launches have run a part of the epoch, `so_far` holds the sums
  /// over that part.
  void start_epoch(const contract::EpochSums& so_far = {});
  /// **Collective.** Writes the step_window record of a finished window. Returns the results of the
  /// window, which are the same on all ranks.
  WindowEnd finish_window(const WindowSteps& steps, const RankMeasures& mine);
  /// Returns the sums over all windows of the epoch so far.
  const contract::EpochSums& sums() const { return sums_; }
  /// Returns the record of the epoch.
  contract::EpochRecord epoch_record(int epoch) const;
  /// Returns for each rank the seconds in which the rank worked instead of waiting for other ranks.
  /// The seconds are summed over those windows of the epoch that this launch has run. Returns
  /// nullopt if there is only one rank or no window. If the ranks form pipelines, `stages` is the
  /// number of ranks per pipeline, and ranks with the same value of rank % `stages` do equal work.
  /// If `stages` is 0, all ranks do equal work, and the record contains the training loss and the
  /// training accuracy of each rank.
  std::optional<contract::RankTimes> rank_times(int epoch, int stages) const;
  /// Excludes from all windows the communication that has taken place since `before` was read from
  /// the queue.
  void leave_out_since(const CommStats& before);

 private:
  /// Sums over several windows of an epoch.
  struct RankWork {
    std::int64_t steps = 0, samples = 0;
    bool counts_correct = false;            ///< true if `correct` holds counts
    std::vector<double> loss_sum;           ///< sum of the losses of the steps of each rank
    std::vector<double> correct;            ///< samples that each rank classified correctly
    std::vector<double> work_s;             ///< working seconds of each rank
    std::vector<double> peak_memory_bytes;  ///< peak memory of each rank since the launch began
  };

  void add_to_epoch(const contract::StepWindow& window, const std::vector<RankWindow>& ranks,
                    bool counts_correct);
  static void add_results(contract::RankTimes& record, const RankWork& sum);

  CollectiveQueue& queue_;
  ResultWriter& writer_;
  const base::Clock& clock_;
  CommStats counted_;         ///< communication already counted in a window, or excluded
  double epoch_wall_s_ = 0;   ///< wall time of the epoch in this launch, in seconds
  double wall_s_before_ = 0;  ///< wall time of the epoch in earlier launches, in seconds
  contract::EpochSums sums_;
  RankWork steady_;  ///< sums over the windows without one-time start-up costs
  RankWork warmup_;  ///< sums over the windows with one-time start-up costs
  bool first_window_ = true;
};

}  // namespace dlscale::trainer
