// SPDX-License-Identifier: Apache-2.0
// Forward and backward pass as graphs of a device's work, for models whose operators take the host
// longer to give than the device to do.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/data/loader.hpp"
#include "trainer/device/work_graph.hpp"
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

 private:
  bool fits(const Batch& batch) const;
  at::Tensor by_hand(const Batch& batch, StepTimer& timer);
  void record(const Batch& batch);
  at::Tensor replay(const Batch& batch, bool is_first, StepTimer& timer);

  std::unique_ptr<WorkRecorder> recorder_;
  Parts parts_;
  int rehearsed_ = 0;
  Batch batch_;  ///< of the first one's shape; the graphs read it
  std::unique_ptr<WorkGraph> forward_, backward_;
  at::Tensor loss_, loss_gradient_;    ///< the graphs'
  std::vector<at::Tensor> gradients_;  ///< likewise; undefined where the loss depends on nothing
};

}  // namespace dlscale::trainer
