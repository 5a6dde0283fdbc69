// SPDX-License-Identifier: Apache-2.0
// How every style ends a step, once the gradients are there.
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

/// Gradients are unscaled (fp16), clipped by the norm of the whole model's, and applied; a step in
/// which one of them is not finite is left out on all ranks where losses are scaled. After each
/// step that is not, the mean of parameters follows where the run has one: with decay d,
/// mean = d mean + (1 - d) parameters, from the first parameters on.
class OptimizerStep {
 public:
  /// `optimizer` is for `tensors`. `holders`: the ranks that have the rest of the model's; null
  /// where all are here.
  OptimizerStep(const contract::RunSpec& spec, std::vector<at::Tensor> tensors,
                std::unique_ptr<Optimizer> optimizer, CollectiveQueue* holders = nullptr);

  /// What backward of `loss` begins with; undefined for 1.
  at::Tensor loss_gradient(const at::Tensor& loss) const;
  /// **Collective** among the holders.
  void take(double learning_rate);
  /// The same as take(), recordable (Optimizer::step_recordable). Returns false, having done
  /// nothing, where a step needs numbers from the device or from other ranks.
  bool take_recordable(const at::Tensor& learning_rate);
  /// Seconds in which take() stood still for other holders, since it was last asked.
  double take_waited_s() { return std::exchange(waited_s_, 0); }
  bool has_mean() const { return !mean_.empty(); }
  /// What is stepped and its mean change places, where the run has a mean.
  void swap_mean();
  /// Of the optimizer, the loss scale and the mean.
  std::vector<NamedTensor> state();
  /// Where losses are scaled: "skipped_steps", those left out since it was last asked.
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
  std::vector<at::Tensor> mean_;  ///< of each tensor; empty where the run has none
};

}  // namespace dlscale::trainer
