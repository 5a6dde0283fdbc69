// SPDX-License-Identifier: Apache-2.0
// Interface of the parallel styles, which divide the work of a training step among the ranks, and
// the table of these styles.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

/// Parallel style of a run. A launch creates one instance. The instance does not keep gradients
/// from one step to the next.
class ParallelStyle {
 public:
  virtual ~ParallelStyle() = default;
  /// **Collective.** Runs one optimizer step. `batch` is this rank's part of the global batch and
  /// lies on the device. Enters the step parts forward, backward, exposed_comm, optimizer and
  /// bubble. The caller ends the last of these parts. Returns the loss of this rank as a detached
  /// tensor on the device. The mean of this loss over all ranks equals the mean loss over the
  /// samples of the global batch.
  virtual at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) = 0;
  /// **Collective.** Returns the scores that the model gives to the samples in `input`, with the
  /// shape samples x classes. The result is undefined on a rank that must not count these samples
  /// because another rank counts them. All ranks evaluate with the buffers of rank 0, so the scores
  /// do not depend on the rank that computes them.
  virtual at::Tensor predict(const at::Tensor& input) = 0;
  /// Returns the seconds for which predict() has exchanged data between devices or ranks since the
  /// previous call, including the wait for other ranks. Returns nothing for styles whose predict()
  /// exchanges no data.
  virtual std::optional<double> take_exchange_s() { return {}; }
  /// **Collective.** Switches between training behaviour (the initial state) and evaluation
  /// behaviour.
  virtual void set_training(bool training) = 0;
  /// **Collective.** Exchanges the values of the parameters with the values of their moving
  /// average. Has no effect when the run has no moving average.
  virtual void swap_ema_weights() = 0;
  /// Returns the events that this style has counted since the previous call, such as skipped steps.
  /// The records of the run contain the counts.
  virtual Counts take_counts() { return {}; }
  /// Returns a warning for the records of the run, or an empty string when there is no new warning.
  virtual std::string take_warning() { return {}; }
  /// **Collective.** Returns the tensors of a checkpoint that all ranks share. Only rank 0 has all
  /// of these tensors, and rank 0 writes the tensors for all ranks.
  virtual std::vector<NamedTensor> state() = 0;
  /// Returns the tensors of a checkpoint that each rank writes to and reads from its own file, in
  /// addition to state(). The tensors share memory with the style. The result is empty either on
  /// all ranks or on no rank.
  virtual std::vector<NamedTensor> shard();
  /// **Collective.** Resumes training from saved values. Before the call, rank 0 must copy the
  /// saved values into the tensors of `state`, which state() returned. Each rank must copy its
  /// saved values into the tensors that shard() returned.
  virtual void load(const std::vector<NamedTensor>& state) = 0;
};

/// Part of each global batch that a rank works on. All ranks of a pipeline work on the same part.
struct DataShare {
  int index = 0;
  int count = 1;
  bool loads = true;  ///< false when the rank loads no samples because other ranks send its input
  int stage = 0;      ///< stage number; ranks with the same stage have the same layers
};

/// Inputs for the construction of a style.
struct StyleContext {
  const contract::RunSpec& spec;
  std::unique_ptr<Model> model;      ///< complete model with the same parameters on every rank
  std::vector<std::int64_t> sample;  ///< shape of one input
  /// Returns the loss of the run: the mean over the samples with equal weights.
  std::function<at::Tensor(const at::Tensor& output, const at::Tensor& target)> loss;
  /// True when inputs are token numbers (int64). The last dimension, the text length, then differs
  /// from batch to batch.
  bool is_text = false;
  /// Creates an optimizer with the run's settings.
  std::function<std::unique_ptr<Optimizer>(const Stepped& stepped)> make_optimizer;
  /// Creates another model with the architecture of `model` on the given device.
  std::function<std::unique_ptr<Model>(const Device&)> make_model;
  std::string& placement;  ///< output: placement of this rank's devices on the cores, as a text
  Device& device;
  CollectiveQueue& queue;
  const base::Clock& clock;
  /// Returns the value of an environment variable of the job, or null if the variable is not set
  /// (see SyncContext).
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

struct StyleEntry {
  const char* name;
  const char* summary;
  /// **Collective.** Creates the style. Throws base::RunError (contract::kExitBadRunDescription)
  /// when the ranks cannot be divided as the run description requires.
  std::unique_ptr<ParallelStyle> (*make)(StyleContext context);
  DataShare (*share)(const contract::RunSpec& spec, int rank);
};

/// Returns the table of styles that divide a model or drive several devices. Styles in which each
/// rank has its own replica of the model on one device are listed in sync_table() instead.
base::Table<StyleEntry> style_table();

}  // namespace dlscale::trainer
