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

/// Inputs of a framework style. `parameters` are the trainable parameters of the model, in the
/// order of the model. The tensors share memory with the model and outlive the style.
struct SyncContext {
  const std::vector<at::Tensor>& parameters;
  const std::vector<std::string>& parameter_names;
  const contract::FrameworkOptions& options;
  CollectiveQueue& queue;
  const base::Clock& clock;
  Model* model = nullptr;  ///< model, for styles that process it block by block
  /// Returns the value of an environment variable of the job, or null if the variable is not set.
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  /// Prints a warning of one line for the user.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// Tensors that the optimizer of a rank updates.
struct Optimized {
  std::vector<at::Tensor> tensors;  ///< tensors whose gradients are ready after after_backward()
  bool is_shard = false;            ///< true if the tensors are shards of equal size
  std::vector<ParameterPiece> pieces = {};  ///< parameters in the shards; empty if not shards
};

/// Framework style. An optimizer step consists of these calls:
///
/// 1. for each micro-batch: before_forward, forward, before_backward, backward
/// 2. after_backward, the step of the optimizer, after_step
///
/// Gradients are undefined tensors before the first micro-batch. Dropping the old gradients is
/// faster than setting them to zero, because the first backward pass then need not add to old
/// gradients.
class GradientSync {
 public:
  virtual ~GradientSync() = default;
  /// **Collective.** Prepares a forward pass. `exchanges` is true for the last micro-batch of the
  /// step. The ranks exchange gradients only during the last micro-batch. Before that, each rank
  /// adds up the gradients of its micro-batches.
  virtual void before_forward(bool exchanges) { static_cast<void>(exchanges); }
  /// Prepares a backward pass. `output` is the output of the model. Styles that search for unused
  /// parameters start the search at `output`.
  virtual void before_backward(const at::Tensor& output) { static_cast<void>(output); }
  /// **Collective.** Completes the exchange of gradients. The gradients of the tensors in
  /// optimized() are then the mean over the ranks.
  virtual void after_backward() = 0;
  /// Returns the tensors that the optimizer of this rank updates. Every call returns the same
  /// tensors.
  virtual Optimized optimized() = 0;
  /// **Collective.** Distributes the updated parameters to every rank, for styles in which each
  /// rank updates only a part of the parameters.
  virtual void after_step() {}
  /// **Collective.** Makes all parameters of the model available until release_parameters().
  virtual void gather_parameters() {}
  /// Ends the period that gather_parameters() began. `changed` is true if the caller has changed
  /// the values of parameters. All ranks must make the same changes.
  virtual void release_parameters(bool changed) { static_cast<void>(changed); }
  /// Returns the time, in seconds, for which computation waited for communication in the last step.
  virtual double exposed_comm_s() const = 0;
  /// Returns the part of exposed_comm_s() that was spent in forward passes. The rest was spent in
  /// or after backward passes.
  virtual double exposed_in_forward_s() const { return 0; }
  /// Returns the tensors of the style that a checkpoint must contain so that resumed training gives
  /// the same results. The tensors share memory with the style. Every call returns the same names.
  /// The shapes are the same on all ranks.
  virtual std::vector<NamedTensor> state();
  /// Returns the event counts of the style since the last call of take_counts().
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
