// SPDX-License-Identifier: Apache-2.0
// Final part of a training step, shared by all parallel styles: unscale, clip and apply the
// gradients.
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
/// - With fp16, gradients are unscaled. When any gradient is not finite, all ranks skip the step.
/// - Gradients are clipped by the gradient norm of the whole model.
/// - The optimizer applies the gradients.
/// - After each step that is not skipped, the moving average is updated when the run has one: with
///   decay d, mean = d mean + (1 - d) parameters, starting from the initial parameters.
class OptimizerStep {
 public:
  /// Creates the step for `tensors`, which `optimizer` updates. `holders` are the ranks that hold
  /// the other tensors of the model. Null means that this rank holds all tensors.
  OptimizerStep(const contract::RunSpec& spec, std::vector<at::Tensor> tensors,
                std::unique_ptr<Optimizer> optimizer, CollectiveQueue* holders = nullptr);

  /// Returns the gradient with which the backward pass of `loss` starts: the loss scale with fp16.
  /// Undefined stands for 1.
  at::Tensor loss_gradient(const at::Tensor& loss) const;
  /// **Collective** among the holders. Unscales, clips and applies the gradients and updates the
  /// moving average.
  void step(double learning_rate);
  /// Runs the same step as take() with a learning rate in device memory, so that the step can be
  /// recorded (see Optimizer::step_recordable). Returns false without any effect when the step
  /// needs values from the device or from other ranks.
  bool step_recordable(const at::Tensor& learning_rate);
  /// Returns the seconds that take() waited for other holders since the previous call.
  double waited_s_since_last_call() { return std::exchange(waited_s_, 0); }
  bool has_mean() const { return !mean_.empty(); }
  /// Swaps the parameters and their moving average. Has no effect when the run has no moving
  /// average.
  void swap_ema_weights();
  /// Returns the state of the optimizer, the loss scale and the moving average.
  std::vector<NamedTensor> state();
  /// Adds the count "skipped_steps" since the previous call when losses are scaled.
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
