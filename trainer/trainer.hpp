// SPDX-License-Identifier: Apache-2.0
// The training loop of one rank.
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "contract/result_record.hpp"
#include "contract/run_spec.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/sampler.hpp"
#include "trainer/device/device.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/lr_schedule.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/record/step_recorder.hpp"
#include "trainer/record/step_timer.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// What a run is made of; every part is made by assemble.hpp.
struct TrainerParts {
  std::unique_ptr<const Dataset> dataset;
  DistributedSampler sampler;
  LearningRateCurve learning_rate;
  std::unique_ptr<Device> device;
  std::unique_ptr<Loader> train_loader;
  std::unique_ptr<Loader> test_loader;
  std::unique_ptr<Model> model;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<GradientSync> sync;
};

struct FitResult {
  contract::RunOutcome outcome = contract::RunOutcome::Completed;  ///< or Diverged
  std::string summary;                                             ///< one line for people
};

class Trainer {
 public:
  /// All but `spec` outlive the trainer.
  Trainer(const contract::RunSpec& spec, TrainerParts& parts, CollectiveQueue& queue,
          ResultWriter& writer, const base::Clock& clock);
  ~Trainer();
  /// **Collective.** All epochs. Ends early, on all ranks alike, when the loss is not finite.
  FitResult fit();

 private:
  bool train_epoch(int epoch);
  void step();
  bool finish_window(int epoch, int steps);
  contract::EvalRecord evaluate(int epoch);
  FitResult diverged() const;

  const contract::RunSpec spec_;
  TrainerParts& parts_;
  CollectiveQueue& queue_;
  ResultWriter& writer_;
  const base::Clock& clock_;
  StepTimer timer_;
  StepRecorder recorder_;
  std::int64_t step_ = 0;  ///< optimizer steps so far
  std::unique_ptr<at::Tensor>
      loss_sum_;  ///< of the window, on the device: a step waits for no number
};

}  // namespace dlscale::trainer
