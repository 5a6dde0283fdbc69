// SPDX-License-Identifier: Apache-2.0
// Converts the progress that MLPerf lines state to samples. Depending on the benchmark and the
// version, MLPerf Training counts progress in other units than whole epochs
// (mlcommons/training_results_v0.6 to v5.1):
// - Samples: from v3.1 on, samples_count of eval_start states the samples since the start.
//   samples_count of block_stop also states the samples since the start, unless it repeats the
//   number of block_start (NVIDIA, v5.0 and v5.1). A repeated number is either the length of the
//   block or the number of samples before the block. BERT states the samples since the start as
//   epoch_num. UNet3D states the samples of a block as epoch_count. GPT-3 states epoch_num and
//   epoch_count in tokens.
// - Steps: Stable Diffusion states step_num in v3.1. BERT on TPU and Gaudi states steps as
//   epoch_count.
// - Fractions of an epoch: eval_start of DLRM and the graph benchmarks states 0.05, 0.1, …, or
//   1.05, 1.1, … if the first epoch is 1. Blocks of DLRM on TPU state 1.05, 1.1, … as
//   first_epoch_num and 1 as epoch_count. This first_epoch_num is the fraction at the end of the
//   block.
// - Batches: train_samples of SSD and RetinaNet on OpenImages counts the batches of an epoch.
//   samples_per_epoch of UNet3D includes the samples that fill the last batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/import/formats/mlperf_lines.hpp"

namespace dlscale::analysis {

class MlperfProgress {
 public:
  // Values that the log has stated so far. 0 means that a value is unknown.
  std::string benchmark;
  std::int64_t train_samples = 0;
  std::int64_t samples_per_epoch = 0;  ///< samples of an epoch, repeated samples included
  std::int64_t global_batch = 0;
  std::int64_t sequence_length = 1;  ///< tokens in a sample
  bool is_first_epoch = false;       ///< true if an epoch has started and none has ended

  // Units that the lines read so far use.
  bool is_part_of_epoch = false;  ///< true if epoch numbers are fractions of epochs
  bool counts_batches = false;    ///< true if train_samples counts batches

  /// Converts progress that the line states as epochs or steps to `samples` and `block_samples`.
  void find_samples(MlperfEvent& event);
  /// Returns the number of samples that an epoch trains, or 0 if it is unknown.
  std::int64_t samples_of_epoch();

 private:
  bool counts_samples(const MlperfEvent& event) const;
  double repeats() const;
  void find_samples_of_bert(MlperfEvent& event, bool ends);
  bool find_parts(MlperfEvent& event);
  bool states_part(const MlperfEvent& event) const;

  bool counts_samples_ = false;        ///< true if epoch counts are samples
  std::optional<double> first_epoch_;  ///< number of the first epoch or block
  double epochs_before_ = 0;           ///< epoch number at the start of the training
  double block_end_ = 0;               ///< epoch number that the last block states
  double block_steps_ = 0;             ///< number of steps of the last block
};

}  // namespace dlscale::analysis
