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
  /// Returns the mean loss over the samples of a batch. Each sample has the same weight, so N ranks
  /// with equal shares learn the same as one rank with all samples. Converts 16-bit outputs to
  /// float32 first.
  at::Tensor (*loss)(const at::Tensor& output, const at::Tensor& target, double smoothing);
  /// Returns sums for the metrics of one batch. The number of sums is constant, so they can be
  /// added over batches and ranks. `output` has at least 32 bits per value.
  std::vector<double> (*count)(const at::Tensor& output, const at::Tensor& target);
  std::size_t counts;  ///< number of sums that `count` returns
  /// Computes loss, correct, accuracy and metrics of `record` from the sums over the whole test
  /// set. The caller sets `record.samples` before the call.
  void (*conclude)(const std::vector<double>& sums, contract::EvalRecord& record);
  const char* headline;  ///< metric shown as progress: accuracy or a key of the metrics
  /// Largest number of samples that a rank evaluates in one batch.
  std::int64_t evaluation_batch = 256;
  bool smooths_labels = true;    ///< true when contract::RunSpec::label_smoothing applies
  bool target_is_input = false;  ///< true when loaders deliver the input as target
  /// Models of this task generate an answer word by word during evaluation, so pipeline stages
  /// cannot share such a model.
  bool needs_whole_model = false;
};

base::Table<TaskEntry> task_table();

/// Returns the task of `model`, which is a name in the table of models or a script.
const TaskEntry& task_of_model(const std::string& model);

}  // namespace dlscale::trainer
