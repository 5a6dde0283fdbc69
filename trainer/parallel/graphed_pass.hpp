// SPDX-License-Identifier: Apache-2.0
// A training step as graphs of a device's work, for models whose operators take the host longer to
// start than the device to do: one graph each for the forward pass, the backward pass and the
// optimizer step. Gradients are exchanged between the last two, without a graph.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainer/data/loader.hpp"
#include "trainer/device/work_graph.hpp"
#include "trainer/record/spread.hpp"
#include "trainer/record/step_timer.hpp"

namespace dlscale::trainer {

/// What is recorded, once a few steps have been done by hand: the passes of batches of the first
/// one's shape. Batches of another shape are done by hand.
class GraphedPass {
 public:
  struct Parts {
    std::function<at::Tensor(const Batch& batch)> forward;  ///< gives the loss
    /// What the backward pass begins with in this step; undefined: 1.
    std::function<at::Tensor(const at::Tensor& loss)> loss_gradient;
    /// The optimizer step with a learning rate in the device's memory; false if it cannot be
    /// recorded.
    std::function<bool(const at::Tensor& learning_rate)> step;
    std::vector<at::Tensor> parameters;  ///< that get gradients
    bool adds = false;                   ///< a step has several passes, whose gradients add up
  };

  /// Passes by hand, before one is recorded; as many as PyTorch makes.
  static constexpr int kRehearsals = 3;

  GraphedPass(std::unique_ptr<WorkRecorder> recorder, Parts parts);

  /// From forward, which has been entered, to backward. Gradients are undefined before the first
  /// pass of a step, and are the parameters' afterwards. Returns the loss, detached, which the next
  /// pass may overwrite unless passes add up.
  at::Tensor run(const Batch& batch, bool is_first, StepTimer& timer);
  /// The optimizer step after the passes of a step, as a graph. Returns false, having done nothing,
  /// if the caller must do it without one.
  bool step(double learning_rate);
  /// Why the step, or a part of it, runs without graphs; empty if it does not. Says it once.
  std::string take_warning();
  /// "graphed_passes" and "graphed_optimizer_steps" since it was last asked.
  void add_counts(Counts& counts);

 private:
  bool fits(const Batch& batch) const;
  at::Tensor by_hand(const Batch& batch, StepTimer& timer);
  void record(const Batch& batch);
  void record_passes(const Batch& batch);
  void record_step();
  at::Tensor replay(const Batch& batch, bool is_first, StepTimer& timer);

  std::unique_ptr<WorkRecorder> recorder_;
  Parts parts_;
  int rehearsed_ = 0;
  bool gave_up_ = false;  ///< the passes cannot be recorded
  bool replayed_ =
      false;  ///< the passes of this step, so that gradients lie where the graphs put them
  std::string warning_;
  Batch batch_;  ///< of the first one's shape; the graphs read it
  std::unique_ptr<WorkGraph> forward_, backward_;
  at::Tensor loss_, loss_gradient_;    ///< the graphs'
  std::vector<at::Tensor> gradients_;  ///< likewise; undefined where the loss depends on nothing
  bool step_gave_up_ = false;
  std::unique_ptr<WorkGraph> step_;
  at::Tensor learning_rate_;  ///< one float32 number that the step's graph reads
  double filled_rate_ = 0;    ///< its value
  std::int64_t graphed_passes_ = 0, graphed_steps_ = 0;  ///< to be counted
};

}  // namespace dlscale::trainer
