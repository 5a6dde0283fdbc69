// SPDX-License-Identifier: Apache-2.0
// Tasks, which define the loss that training minimises and the metrics that evaluation counts, and
// the table of tasks.
#pragma once

#include <string>
#include <vector>

#include "base/registry.hpp"
#include "contract/records/result_record.hpp"

namespace at {
class Tensor;
}

namespace dlscale::trainer {

struct TaskEntry {
  const char* name;
  const char* summary;
  /// Returns the mean loss over the samples of a batch. Each sample has the same weight. Therefore,
  /// N ranks that each process an equal part of a batch get the same gradients as one rank that
  /// processes the whole batch. 16-bit outputs are first converted to float32.
  at::Tensor (*loss)(const at::Tensor& output, const at::Tensor& target, double smoothing);
  /// Returns the sums from which the metrics are computed, for one batch. Every batch gives the
  /// same number of sums, so the caller can add them over batches and ranks. `output` has at least
  /// 32 bits per value.
  std::vector<double> (*count)(const at::Tensor& output, const at::Tensor& target);
  std::size_t counts;  ///< number of sums that `count` returns
  /// Returns the number of correctly classified samples of a batch as a scalar (int64) on the
  /// device of `output`. Does not wait for the device. Null if the task does not assign one class
  /// to each sample.
  at::Tensor (*correct)(const at::Tensor& output, const at::Tensor& target) = nullptr;
  /// Sets the members loss, correct, accuracy and metrics of `record`. `sums` are the sums over the
  /// whole test set. The caller must set `record.samples` before the call.
  void (*conclude)(const std::vector<double>& sums, contract::EvalRecord& record);
  const char* headline;  ///< metric in progress messages: "accuracy" or a key of `metrics`
  /// Largest number of samples that a rank evaluates in one batch.
  std::int64_t evaluation_batch = 256;
  bool smooths_labels = true;    ///< true if contract::RunSpec::label_smoothing has an effect
  bool target_is_input = false;  ///< true if the target of a batch is its input
  /// True if evaluation needs the whole model on each rank. Translation models generate their
  /// output token by token in evaluation, so they cannot be divided into pipeline stages.
  bool needs_whole_model = false;
};

base::Table<TaskEntry> task_table();

/// Returns the task of a model. `model` is a name in model_table(), or it starts with
/// contract::kScriptModel.
const TaskEntry& task_of_model(const std::string& model);

}  // namespace dlscale::trainer
