// SPDX-License-Identifier: Apache-2.0
// When and how the replicas of a model agree on their gradients.
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

/// What a sync style needs to know of the model. Parameters are the trainable ones, in model
/// order; their tensors are shared with the model and outlive the sync.
struct SyncContext {
  const std::vector<at::Tensor>& parameters;
  const std::vector<std::string>& parameter_names;
  const contract::FrameworkOptions& options;
  CollectiveQueue& queue;
  const base::Clock& clock;
  Model* model = nullptr;  ///< where they are of one, for styles that act block by block
  /// A variable of the job's environment, or null.
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  /// Tells the user of trouble, in one line.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

/// What a rank's optimizer steps.
struct Optimized {
  std::vector<at::Tensor> tensors;          ///< their gradients are there after after_backward()
  bool is_shard = false;                    ///< each rank has its part, of equal size, of each
  std::vector<ParameterPiece> pieces = {};  ///< of shards; empty: each tensor is a parameter
};

/// One optimizer step is, for each micro-batch: before_forward, forward, before_backward, backward;
/// then after_backward, the optimizer's step, after_step.
/// Gradients are undefined before the first: dropping them is faster than zeroing and adding.
class GradientSync {
 public:
  virtual ~GradientSync() = default;
  /// **Collective.** `exchanges`: this is the step's last micro-batch. The gradients of those
  /// before it stay on their rank and add up.
  virtual void before_forward(bool exchanges) { static_cast<void>(exchanges); }
  /// `output` is the model's output, for styles that look for unused parameters.
  virtual void before_backward(const at::Tensor& output) { static_cast<void>(output); }
  /// **Collective.** On return the gradients of what optimized() names are the mean over the ranks.
  virtual void after_backward() = 0;
  /// The same tensors whenever it is asked.
  virtual Optimized optimized() = 0;
  /// **Collective.** On return every rank has the parameters that the optimizers made.
  virtual void after_step() {}
  /// **Collective.** From here on, until they are released, the model's parameters are all there.
  virtual void gather_parameters() {}
  /// `changed`: they have been given other values, the same on all ranks.
  virtual void release_parameters(bool changed) { static_cast<void>(changed); }
  /// Seconds of the last step in which computation stood still for communication.
  virtual double exposed_comm_s() const = 0;
  /// Of them, those in forward passes; the others were in or behind backward passes.
  virtual double exposed_in_forward_s() const { return 0; }
  /// What this rank alone must keep for the steps to go on as they would have; shares its memory.
  /// The same names and, on all ranks, the same shapes whenever it is asked.
  virtual std::vector<NamedTensor> state();
  /// What it has counted since it was last asked.
  virtual Counts take_counts() { return {}; }
};

/// A row of the framework table.
struct SyncEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<GradientSync> (*make)(const SyncContext& context);
};

base::Table<SyncEntry> sync_table();

}  // namespace dlscale::trainer
