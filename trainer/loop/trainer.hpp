// SPDX-License-Identifier: Apache-2.0
// The training loop of one rank.
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

/// What a run is made of; every part is made by assemble.hpp.
struct TrainerParts {
  std::unique_ptr<const Dataset> dataset;
  const TaskEntry* task = nullptr;
  Precision precision = Precision::fp32;  ///< of what the model takes
  DataShare share;
  /// Samples that a rank evaluates at a time: no more than it trains, whose memory suffices.
  std::int64_t evaluation_batch = 1;
  DistributedSampler sampler;
  contract::LearningRateCurve learning_rate;
  std::unique_ptr<Device> device;
  std::unique_ptr<Loader> train_loader;
  std::unique_ptr<Loader> test_loader;
  /// SHA-256 of the files the model comes from, on rank 0: model_sha256, weights_sha256.
  std::map<std::string, std::string> digests = {};
  std::int64_t parameters = 0;  ///< scalars of the model, whatever rank has them
  std::int64_t trainable_parameters = 0;
  std::string placement;  ///< how several devices of this rank lie on the machine; empty: has one
  std::unique_ptr<RankStatistics> statistics;  ///< of synchronised batch norms; null: none are
  std::unique_ptr<ParallelStyle> style;
};

/// What surrounds the loop; all of it outlives the trainer.
struct TrainerTools {
  CollectiveQueue& queue;
  ResultWriter& writer;
  const base::Clock& clock;
  Checkpointer& checkpoints;
  ToldToStop told_to_stop;
  bool profile = false;  ///< also where the run's description does not say so
};

struct FitResult {
  /// Completed; Diverged: the loss is not finite, or nothing was learnt; Preempted: saved before
  /// the time limit; TimedOut: told to stop without anything new that could be saved.
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string summary;  ///< one line for people
  std::string early;    ///< why a complete run has fewer epochs than it could; empty: it has not
};

class Trainer {
 public:
  /// `parts` outlive the trainer; they stand at `from`, which Checkpointer::resume() gives.
  Trainer(const contract::RunSpec& spec, TrainerParts& parts, TrainerTools tools,
          const contract::Progress& from = {});
  ~Trainer();
  /// **Collective.** All epochs that are left. Ends early, on all ranks alike, when the loss is not
  /// finite, nothing is learnt, the run's target is reached, and when any rank is told to stop. On
  /// return no checkpoint is being written.
  FitResult fit();

 private:
  using End = std::optional<FitResult>;  ///< nothing: training goes on

  FitResult train();
  End train_epoch();
  End close_epoch();
  Batch load();
  void step();
  End finish_window(int steps);
  void start_profile();
  void write_profile(int steps);
  bool told_within_window();
  std::optional<contract::EvalRecord> evaluate();
  void compare_with_target(const contract::EvalRecord& found, double train_s);
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
  bool profiles_;                         ///< a window that is still to come
  std::unique_ptr<StepProfile> profile_;  ///< of the window under way
  const contract::Progress from_;
  contract::Progress at_;
  bool save_failed_ = false;  ///< the last time
  std::string summary_;       ///< of the last epoch
  std::unique_ptr<at::Tensor>
      loss_sum_;  ///< of the window, on the device: a step waits for no number
};

}  // namespace dlscale::trainer
