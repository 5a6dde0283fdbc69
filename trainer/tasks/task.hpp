// SPDX-License-Identifier: Apache-2.0
// What a model is to do with its data: what training minimises and evaluation counts; and the table
// of tasks.
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
  /// A mean over the samples, in which each weighs the same: N ranks with equal shares learn what
  /// one rank with all of them learns. Outputs of 16 bits are widened first.
  at::Tensor (*loss)(const at::Tensor& output, const at::Tensor& target, double smoothing);
  /// Numbers of the batch that may be added to those of other batches and ranks: always equally
  /// many. `output` has at least 32 bits.
  std::vector<double> (*count)(const at::Tensor& output, const at::Tensor& target);
  std::size_t counts;  ///< how many numbers that are
  /// Turns the sums over the whole test set into the record's loss, correct, accuracy and metrics;
  /// the record has its samples.
  void (*conclude)(const std::vector<double>& sums, contract::EvalRecord& record);
  const char* headline;  ///< what progress shows: accuracy, or one of the metrics
  /// Samples that a rank evaluates at a time, at most.
  std::int64_t evaluation_batch = 256;
  bool smooths_labels = true;    ///< contract::RunSpec::label_smoothing means something
  bool target_is_input = false;  ///< loaders deliver the input as target
  /// Evaluated, its models also answer by themselves, word after word: no stages share one.
  bool needs_whole_model = false;
};

base::Table<TaskEntry> task_table();

/// The task of `model`, a name of the table of models or a script.
const TaskEntry& task_of_model(const std::string& model);

}  // namespace dlscale::trainer
