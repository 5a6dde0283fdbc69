// SPDX-License-Identifier: Apache-2.0
// Interface of the framework styles that average gradients over the replicas of a model.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/record/spread.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

class Model;         // models/model.hpp
struct NamedTensor;  // checkpoint/tensor_archive.hpp

/// Inputs of a framework style. Parameters are the trainable parameters of the model, in model
/// order. The tensors are shared with the model and outlive the style.
struct SyncContext {
  const std::vector<at::Tensor>& parameters;
  const std::vector<std::string>& parameter_names;
  const contract::FrameworkOptions& options;
  CollectiveQueue& queue;
  const base::Clock& clock;
  Model* model = nullptr;  ///< model of the parameters, for styles that act block by block
  /// Returns a variable of the job's environment, or null.
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  /// Prints a warning of one line for the user.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// Tensors that the optimizer of a rank updates.
struct Optimized {
  std::vector<at::Tensor> tensors;  ///< tensors whose gradients are ready after after_backward()
  bool is_shard = false;            ///< shards: each rank has an equal part of each tensor
  std::vector<ParameterPiece> pieces = {};  ///< pieces of shards; empty: each tensor is a parameter
};

/// Framework style. An optimizer step consists of these calls:
///
/// 1. for each micro-batch: before_forward, forward, before_backward, backward
/// 2. after_backward, the step of the optimizer, after_step
///
/// Gradients are undefined before the first micro-batch, because dropping them is faster than
/// zeroing them and adding.
class GradientSync {
 public:
  virtual ~GradientSync() = default;
  /// **Collective.** Prepares a forward pass. `exchanges` is true for the last micro-batch of the
  /// step. The gradients of earlier micro-batches stay on their rank and add up.
  virtual void before_forward(bool exchanges) { static_cast<void>(exchanges); }
  /// Prepares a backward pass. `output` is the output of the model, for styles that search for
  /// unused parameters.
  virtual void before_backward(const at::Tensor& output) { static_cast<void>(output); }
  /// **Collective.** Completes the gradients of the tensors in optimized(), which are then the mean
  /// over the ranks.
  virtual void after_backward() = 0;
  /// Returns the tensors to optimize. The result is the same on each call.
  virtual Optimized optimized() = 0;
  /// **Collective.** Distributes the parameters that the optimizers have updated to every rank.
  virtual void after_step() {}
  /// **Collective.** Makes all parameters of the model available until release_parameters().
  virtual void gather_parameters() {}
  /// Ends the use of gathered parameters. `changed` is true if their values have changed, in the
  /// same way on all ranks.
  virtual void release_parameters(bool changed) { static_cast<void>(changed); }
  /// Returns the seconds of the last step in which computation waited for communication.
  virtual double exposed_comm_s() const = 0;
  /// Returns the seconds of exposed_comm_s() in forward passes. The remaining seconds were in or
  /// after backward passes.
  virtual double exposed_in_forward_s() const { return 0; }
  /// Returns the tensors that this rank must save so that training can continue without a
  /// difference. The tensors share memory with the style. Their names are the same on each call,
  /// and their shapes are the same on all ranks.
  virtual std::vector<NamedTensor> state();
  /// Returns the counts since the last call.
  virtual Counts take_counts() { return {}; }
};

/// Row of the framework table.
struct SyncEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<GradientSync> (*make)(const SyncContext& context);
};

base::Table<SyncEntry> sync_table();

}  // namespace dlscale::trainer
