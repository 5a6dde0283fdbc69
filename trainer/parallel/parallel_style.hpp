// SPDX-License-Identifier: Apache-2.0
// How the ranks of a run divide the work of a training step; and the table of such styles.
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

/// One for a launch. Between steps no gradients are kept.
class ParallelStyle {
 public:
  virtual ~ParallelStyle() = default;
  /// **Collective.** One optimizer step on this rank's share of the global batch, which is on the
  /// device. Enters forward, backward, exposed_comm, optimizer and bubble; the caller leaves the
  /// last. Returns the loss to be counted for this rank, detached, on the device: its mean over the
  /// ranks is the mean over the global batch.
  virtual at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) = 0;
  /// **Collective.** Scores of the samples, samples x classes; undefined on a rank that is not to
  /// count them. Equal whatever rank makes them, since all evaluate with rank 0's buffers.
  virtual at::Tensor predict(const at::Tensor& input) = 0;
  /// **Collective.** Between training behaviour (true at first) and evaluation behaviour.
  virtual void set_training(bool training) = 0;
  /// **Collective.** The parameters and their mean change places, where the run has a mean.
  virtual void swap_mean() = 0;
  /// What the style has counted since it was last asked, for the record.
  virtual Counts take_counts() { return {}; }
  /// What the run's records should warn of, since it was last asked; empty: nothing.
  virtual std::string take_warning() { return {}; }
  /// **Collective.** What a checkpoint holds: complete on rank 0, which writes it for all.
  virtual std::vector<NamedTensor> state() = 0;
  /// What it holds besides, of which each rank writes and reads its own; shares the memory. Empty
  /// on all ranks or on none.
  virtual std::vector<NamedTensor> shard();
  /// **Collective.** Goes on from `state`, which state() returned and rank 0 has filled, and from
  /// shards that every rank has filled.
  virtual void load(const std::vector<NamedTensor>& state) = 0;
};

/// Which part of each global batch a rank works on: the ranks of a pipeline share one.
struct DataShare {
  int index = 0;
  int count = 1;
  bool loads = true;  ///< false: others give it what it needs; its batches are hollow
  int stage = 0;      ///< ranks with the same one have the same layers
};

/// What a style is made from.
struct StyleContext {
  const contract::RunSpec& spec;
  std::unique_ptr<Model> model;      ///< whole, with the same parameters on every rank
  std::vector<std::int64_t> sample;  ///< shape of one input
  /// The run's loss: mean over the samples, each of which weighs the same.
  std::function<at::Tensor(const at::Tensor& output, const at::Tensor& target)> loss;
  /// Inputs are tokens (int64), and the last size of their shape differs from batch to batch.
  bool is_text = false;
  /// Makes an optimizer by the run's settings.
  std::function<std::unique_ptr<Optimizer>(const Stepped& stepped)> make_optimizer;
  /// Another like `model`, on that device.
  std::function<std::unique_ptr<Model>(const Device&)> make_model;
  std::string& placement;  ///< the style says here how several devices of this rank lie
  Device& device;
  CollectiveQueue& queue;
  const base::Clock& clock;
  /// As SyncContext's.
  std::function<const char*(const char* name)> environment = [](const char*) { return nullptr; };
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

struct StyleEntry {
  const char* name;
  const char* summary;
  /// **Collective.** Throws base::RunError (contract::kExitBadRunDescription) when the ranks cannot
  /// be divided so.
  std::unique_ptr<ParallelStyle> (*make)(StyleContext context);
  DataShare (*share)(const contract::RunSpec& spec, int rank);
};

/// The styles in which each rank has a replica of its own are not in it: they are the syncs.
base::Table<StyleEntry> style_table();

}  // namespace dlscale::trainer
