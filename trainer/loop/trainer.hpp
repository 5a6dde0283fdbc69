// SPDX-License-Identifier: Apache-2.0
// Training loop of one rank.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/learning_rate.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/sampler.hpp"
#include "trainer/device/device.hpp"
#include "trainer/failure/stop_poll.hpp"
#include "trainer/loop/batch_feed.hpp"
#include "trainer/loop/checkpointer.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/parallel/rank_group.hpp"
#include "trainer/profile/step_profile.hpp"
#include "trainer/record/step_recorder.hpp"
#include "trainer/record/step_timer.hpp"
#include "trainer/tasks/task.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Parts of a run. The functions in assemble.hpp create them.
struct TrainerParts {
  std::unique_ptr<const Dataset> dataset;
  const TaskEntry* task = nullptr;
  /// Number of samples that the training steps of the present window classified correctly. The
  /// number is kept on the device, so that the host need not wait for each step. Null if the task
  /// has no classes.
  std::shared_ptr<at::Tensor> correct;
  Precision precision = Precision::fp32;  ///< number format of the model's input
  DataShare share;
  /// Number of samples that a rank evaluates at a time. The number is at most the training batch
  /// size, for which the memory is known to suffice.
  std::int64_t evaluation_batch = 1;
  DistributedSampler sampler;
  contract::LearningRateCurve learning_rate;
  std::unique_ptr<Device> device;
  std::unique_ptr<Loader> train_loader;
  std::unique_ptr<Loader> test_loader;
  /// SHA-256 digests of the files that define the model, only on rank 0. The keys are model_sha256
  /// and weights_sha256.
  std::map<std::string, std::string> digests = {};
  std::int64_t parameters = 0;  ///< number of scalars in the model, over all ranks
  std::int64_t trainable_parameters = 0;
  std::string placement;  ///< placement of this rank's devices, empty with one device
  std::unique_ptr<RankStatistics> statistics;  ///< sums for synchronised batch norms, or null
  std::unique_ptr<ParallelStyle> style;
};

/// Objects that the training loop uses. All of them must outlive the trainer.
struct TrainerTools {
  CollectiveQueue& queue;
  ResultWriter& writer;
  const base::Clock& clock;
  Checkpointer& checkpoints;
  StopRequested stop_requested;
  bool profile = false;  ///< true to record a profile even if the run does not request one
};

struct FitResult {
  /// Outcome of the run:
  /// - Completed.
  /// - Diverged: the loss is not finite, or the model did not learn.
  /// - Preempted: the state was saved before the time limit.
  /// - TimedOut: a stop was requested, and the present training state could not be saved.
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string summary;  ///< one-line summary for the user
  std::string early;    ///< reason why a completed run ended before its last epoch, else empty
};

class Trainer {
 public:
  /// Creates the trainer. `parts` must outlive the trainer. `from` is the progress that
  /// Checkpointer::resume() returned, and `parts` must hold the training state at this progress.
  Trainer(const contract::RunSpec& spec, TrainerParts& parts, TrainerTools tools,
          const contract::Progress& from = {});
  ~Trainer();
  /// **Collective.** Runs all remaining epochs. Ends early on all ranks together when the loss is
  /// not finite, the model does not learn, the target of the run is reached, or any rank is
  /// requested to stop. Before fit() returns, it waits for a checkpoint that is still being
  /// written.
  FitResult fit();

 private:
  using End = std::optional<FitResult>;  ///< nullopt when training continues

  FitResult train();
  End train_epoch();
  std::int64_t steps_of_epoch() const;
  End close_epoch();
  Batch load();
  void step();
  End finish_window(int steps);
  std::optional<std::int64_t> take_correct();
  void start_profile();
  void write_profile();
  bool stop_requested_in_window();
  std::optional<contract::EvalRecord> evaluate();
  void write_target(const char* metric, double threshold, double value, double train_s);
  void compare_with_target(const contract::EvalRecord& found, double train_s);
  void compare_with_target(double train_loss);
  bool has_reached_target() const;
  bool is_flat(double train_loss) const;
  template <class Work>
  void between_windows(const Work& work);
  void save();
  void report(const std::optional<SaveFailure>& failure, const char* then);
  FitResult diverged(const char* which) const;
  FitResult learnt_nothing() const;
  FitResult stop();

  const contract::RunSpec spec_;
  TrainerParts& parts_;
  TrainerTools tools_;
  StepTimer timer_;
  BatchFeed feed_;
  StepRecorder recorder_;
  StopPoll poll_;
  int epochs_;              ///< number of epochs, of which the last may be incomplete
  std::int64_t last_step_;  ///< number of optimizer steps of the whole run
  bool profiles_;           ///< true until the last requested profile starts
  /// Profile of the present window, or of the present epoch if the run profiles whole epochs.
  std::unique_ptr<StepProfile> profile_;
  std::int64_t profiled_from_ = 0;  ///< first step of the profile
  const contract::Progress from_;
  contract::Progress at_;
  bool save_failed_ = false;  ///< true when the last save failed
  std::string summary_;       ///< summary of the last epoch
  /// Sum of the losses of the steps in the present window. The sum is kept on the device, so that
  /// the host need not wait for the loss of each step.
  std::unique_ptr<at::Tensor> loss_sum_;
};

}  // namespace dlscale::trainer
