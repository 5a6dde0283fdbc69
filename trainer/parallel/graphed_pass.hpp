// SPDX-License-Identifier: Apache-2.0
// CUDA graphs of a training step. Graphs save time in models with short operators, where the host
// needs longer to launch an operator than the device needs to run the operator.
//
// There are three graphs: for the forward pass, for the backward pass and for the optimizer step.
// Between the backward pass and the optimizer step, gradients are synchronised between ranks
// without a graph.
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

/// Training step that records CUDA graphs and replays them. The first kRehearsals passes run
/// without graphs. Then graphs are recorded for batches with the shape of the first batch. Batches
/// of another shape always run without graphs.
class GraphedPass {
 public:
  struct Parts {
    std::function<at::Tensor(const Batch& batch)> forward;  ///< returns the loss
    /// Returns the gradient of the loss with which the backward pass of this step starts. An
    /// undefined tensor stands for the gradient 1.
    std::function<at::Tensor(const at::Tensor& loss)> loss_gradient;
    /// Runs the optimizer step with a learning rate in device memory. Returns false if the step
    /// cannot be recorded.
    std::function<bool(const at::Tensor& learning_rate)> step;
    std::vector<at::Tensor> parameters;  ///< parameters that receive gradients
    bool adds = false;  ///< true when a step accumulates gradients over several passes
  };

  /// Number of passes that run without graphs before a pass is recorded. PyTorch uses the same
  /// number.
  static constexpr int kRehearsals = 3;

  GraphedPass(std::unique_ptr<WorkRecorder> recorder, Parts parts);

  /// Runs the forward and the backward pass of `batch`. The caller has already entered
  /// StepPart::forward, and run() enters StepPart::backward. `is_first` is true for the first pass
  /// of a step. Before the first pass, the gradients of the parameters must be undefined. After
  /// each pass, the parameters have their gradients. Returns the detached loss. The next pass may
  /// overwrite the memory of the loss unless a step accumulates gradients over several passes.
  at::Tensor run(const Batch& batch, bool is_first, StepTimer& timer);
  /// Replays the graph of the optimizer step. Must be called after the passes of the step. If there
  /// is no such graph, returns false without any effect, and the caller must run the optimizer step
  /// itself.
  bool step(double learning_rate);
  /// Returns the reason why the whole step or a part of the step runs without graphs. Returns an
  /// empty string when all parts use graphs, or when an earlier call returned the reason.
  std::string take_warning();
  /// Adds the counts "graphed_passes" and "graphed_optimizer_steps" since the previous call.
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
  bool gave_up_ = false;  ///< true when recording the passes failed
  /// True when the passes of this step were replayed. The gradients of the step then lie in the
  /// memory of the graphs.
  bool replayed_ = false;
  std::string warning_;
  Batch batch_;  ///< input memory of the graphs, in the shape of the first batch
  std::unique_ptr<WorkGraph> forward_, backward_;
  at::Tensor loss_, loss_gradient_;  ///< tensors in the memory of the graphs
  /// Gradients in the memory of the graphs. Undefined for parameters that do not affect the loss.
  std::vector<at::Tensor> gradients_;
  bool step_gave_up_ = false;
  std::unique_ptr<WorkGraph> step_;
  at::Tensor learning_rate_;  ///< learning rate that the optimizer graph reads, a float32 scalar
  double filled_rate_ = 0;    ///< present value of learning_rate_
  std::int64_t graphed_passes_ = 0, graphed_steps_ = 0;  ///< counts since the last add_counts()
};

}  // namespace dlscale::trainer
