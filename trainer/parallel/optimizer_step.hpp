// SPDX-License-Identifier: Apache-2.0
// Final part of a training step, which all parallel styles share: the gradients are unscaled,
// clipped and applied.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/optim/loss_scaler.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/record/spread.hpp"

namespace dlscale::trainer {

/// Optimizer step with loss scaling, gradient clipping and a moving average of the parameters.
/// - With fp16, gradients are divided by the loss scale. When any gradient is not finite, all ranks
///   skip the step.
/// - Gradients are clipped when the norm of all gradients of the model exceeds the limit of the
///   run.
/// - The optimizer applies the gradients.
/// - If the run has a moving average of the parameters, each step that is not skipped updates the
///   average: mean = d mean + (1 - d) parameters, with decay d. The average starts from the initial
///   parameters.
class OptimizerStep {
 public:
  /// Creates the step for `tensors`, which `optimizer` updates. When the tensors of the model are
  /// spread over several ranks, `holders` is the queue of these ranks. Null means that this rank
  /// holds all tensors of the model.
  OptimizerStep(const contract::RunSpec& spec, std::vector<at::Tensor> tensors,
                std::unique_ptr<Optimizer> optimizer, CollectiveQueue* holders = nullptr);

  /// Returns the gradient with which the backward pass of `loss` starts. With fp16, this gradient
  /// is the loss scale. Otherwise the result is undefined, which stands for the gradient 1.
  at::Tensor loss_gradient(const at::Tensor& loss) const;
  /// **Collective** among the holders. Unscales, clips and applies the gradients and updates the
  /// moving average.
  void step(double learning_rate);
  /// Runs the same step as step() with a learning rate in device memory, so that a CUDA graph can
  /// record the step (see Optimizer::step_recordable). Returns false without any effect when the
  /// host needs values from the device or from other ranks during the step.
  bool step_recordable(const at::Tensor& learning_rate);
  /// Returns the seconds that step() has waited for the other holder ranks since the previous call
  /// of this function.
  double waited_s_since_last_call() { return std::exchange(waited_s_, 0); }
  bool has_mean() const { return !mean_.empty(); }
  /// Exchanges the values of the parameters with the values of their moving average. Has no effect
  /// when the run has no moving average.
  void swap_ema_weights();
  /// Returns the state of the optimizer, the loss scale and the moving average.
  std::vector<NamedTensor> state();
  /// If the run scales its losses, adds the count "skipped_steps", which is the number of skipped
  /// steps since the previous call.
  void add_counts(Counts& counts);

 private:
  bool unscale();
  void clip();
  void follow();
  double sum_over_holders(double value);

  double clip_norm_;
  double ema_decay_;
  std::vector<at::Tensor> tensors_;
  std::unique_ptr<Optimizer> optimizer_;
  CollectiveQueue* holders_;
  double waited_s_ = 0;
  std::optional<LossScaler> scaler_;
  std::vector<at::Tensor> mean_;  ///< moving average of each tensor, empty when the run has none
};

}  // namespace dlscale::trainer
