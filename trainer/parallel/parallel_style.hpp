// SPDX-License-Identifier: Apache-2.0
// Interface of the parallel styles, which divide the work of a training step among the ranks, and
// the table of these styles.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "trainer/comm/collective_queue.hpp"
#include "trainer/device/device.hpp"
#include "trainer/models/model.hpp"
#include "trainer/optim/optimizer.hpp"
#include "trainer/record/step_timer.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct Batch;        // data/loader.hpp
struct NamedTensor;  // checkpoint/tensor_archive.hpp

/// Parallel style of a run. A launch creates one instance. The instance keeps no gradients between
/// steps.
class ParallelStyle {
 public:
  virtual ~ParallelStyle() = default;
  /// **Collective.** Runs one optimizer step on this rank's share of the global batch, which is on
  /// the device. Enters the step parts forward, backward, exposed_comm, optimizer and bubble. The
  /// caller leaves the last part. Returns the loss of this rank, detached, on the device. The mean
  /// of these losses over the ranks is the mean over the global batch.
  virtual at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) = 0;
  /// **Collective.** Returns the scores of the samples, samples x classes. The result is undefined
  /// on a rank that must not count the samples. The scores do not depend on the rank that computes
  /// them, because all ranks evaluate with the buffers of rank 0.
  virtual at::Tensor predict(const at::Tensor& input) = 0;
  /// **Collective.** Switches between training behaviour (the initial state) and evaluation
  /// behaviour.
  virtual void set_training(bool training) = 0;
  /// **Collective.** Swaps the parameters and their moving average. Has no effect when the run has
  /// no moving average.
  virtual void swap_ema_weights() = 0;
  /// Returns the counts of this style since the previous call, for the records.
  virtual Counts take_counts() { return {}; }
  /// Returns a warning for the records of the run, or an empty string when there is no new warning.
  virtual std::string take_warning() { return {}; }
  /// **Collective.** Returns the shared content of a checkpoint. The content is complete on rank 0,
  /// which writes it for all ranks.
  virtual std::vector<NamedTensor> state() = 0;
  /// Returns the additional content of a checkpoint that each rank writes and reads separately. The
  /// tensors share memory with the style. The result is empty either on all ranks or on none.
  virtual std::vector<NamedTensor> shard();
  /// **Collective.** Resumes from `state`, which state() returned and rank 0 filled with saved
  /// values, and from shards that each rank filled.
  virtual void load(const std::vector<NamedTensor>& state) = 0;
};

/// Part of each global batch that a rank works on. The ranks of a pipeline share one part.
struct DataShare {
  int index = 0;
  int count = 1;
  bool loads = true;  ///< false when other ranks supply the rank's input and its batches are empty
  int stage = 0;      ///< stage number; ranks with the same stage have the same layers
};

/// Inputs for the construction of a style.
struct StyleContext {
  const contract::RunSpec& spec;
  std::unique_ptr<Model> model;      ///< complete model with the same parameters on every rank
  std::vector<std::int64_t> sample;  ///< shape of one input
  /// Returns the loss of the run: the mean over the samples with equal weights.
  std::function<at::Tensor(const at::Tensor& output, const at::Tensor& target)> loss;
  /// True when inputs are tokens (int64) whose last dimension differs from batch to batch.
  bool is_text = false;
  /// Creates an optimizer with the run's settings.
  std::function<std::unique_ptr<Optimizer>(const Stepped& stepped)> make_optimizer;
  /// Creates another model like `model` on the given device.
  std::function<std::unique_ptr<Model>(const Device&)> make_model;
  std::string& placement;  ///< output: how several devices of this rank are placed
  Device& device;
  CollectiveQueue& queue;
  const base::Clock& clock;
  /// Returns an environment variable of the job, or null (see SyncContext).
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

struct StyleEntry {
  const char* name;
  const char* summary;
  /// **Collective.** Creates the style. Throws base::RunError (contract::kExitBadRunDescription)
  /// when the ranks cannot be divided accordingly.
  std::unique_ptr<ParallelStyle> (*make)(StyleContext context);
  DataShare (*share)(const contract::RunSpec& spec, int rank);
};

/// Returns the table of styles that divide a model or drive several devices. Styles in which each
/// rank has its own replica are listed in sync_table() instead.
base::Table<StyleEntry> style_table();

}  // namespace dlscale::trainer
