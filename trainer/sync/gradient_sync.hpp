// SPDX-License-Identifier: Apache-2.0
// When and how the replicas of a model agree on their gradients.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "contract/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// What a sync style needs to know of the model. Parameters are the trainable ones, in model
/// order; their tensors are shared with the model and outlive the sync.
struct SyncContext {
  const std::vector<at::Tensor>& parameters;
  const std::vector<std::string>& parameter_names;
  const contract::FrameworkOptions& options;
  CollectiveQueue& queue;
  const base::Clock& clock;
};

/// One optimizer step is: before_forward, forward, before_backward, backward, after_backward.
/// Gradients are undefined before backward: dropping them is faster than zeroing and adding.
class GradientSync {
 public:
  virtual ~GradientSync() = default;
  /// **Collective.**
  virtual void before_forward() {}
  /// `output` is the model's output, for styles that look for unused parameters.
  virtual void before_backward(const at::Tensor& output) = 0;
  /// **Collective.** On return every parameter's gradient is the mean over the ranks.
  virtual void after_backward() = 0;
  /// Seconds of the last step in which computation stood still for communication.
  virtual double exposed_comm_s() const = 0;
};

/// A row of the framework table.
struct SyncEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<GradientSync> (*make)(const SyncContext& context);
};

base::Table<SyncEntry> sync_table();

}  // namespace dlscale::trainer
