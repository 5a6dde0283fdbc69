// SPDX-License-Identifier: Apache-2.0
// Derives the complete run from the settings of a point: batches, learning rate, schedule.
#pragma once

#include <optional>
#include <string>

#include "planner/study/study.hpp"

namespace dlscale::planner {

// The following declarations split a global batch over GPUs and accumulation steps.

/// Batch sizes with global_batch = batch_per_gpu x GPUs x accumulation_steps, unless `problem` is
/// set. If `is_spread` is true, batch_per_gpu is the largest number of samples that a GPU processes
/// at once.
struct Batches {
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  int accumulation_steps = 1;
  bool is_spread = false;  ///< true if the parts of the global batch differ by one sample
  double quotient = 0;     ///< batch_per_gpu before rounding
  std::string problem;     ///< reason why the requested batches are impossible
  /// Difference between requested and actual batches (uneven_batch = "floor").
  std::string note;
};

/// Determines the batch sizes of a run from the sizes that the study gives.
/// - If only the global batch and a limit on the batch per GPU are given, uses the fewest
///   accumulation steps with which the batch divides evenly and respects the limit.
/// - If the global batch and the batch per GPU are given, computes the accumulation steps from
///   them.
/// - If batches do not divide evenly, reports a problem. With uneven_batch "floor", rounds down
///   instead. With "spread", the global batch is kept and its parts differ by one sample. The
///   number of accumulation steps is then the smallest that respects the limit.
/// - Less than one sample per GPU is always a problem.
Batches split_batches(const RequestedBatch& requested_key, int gpus,
                      const std::string& uneven_batch);

/// Reason why a point cannot run as requested.
struct Problem {
  std::string key;  ///< key of [matrix] or [training]
  std::string text;
  bool of_batch = false;  ///< true if uneven_batch = "skip" leaves out the point instead
};

/// Run without id, repetition and resources. `note` describes how the batches differ from the
/// request (uneven_batch = "floor").
struct Derived {
  contract::RunSpec run;
  std::optional<Problem> problem;
  std::string note;
};

Derived derive(Recipe recipe, const std::string& uneven_batch);

/// Returns the learning rate after warm-up: base x ratio for `scale` "linear", base x sqrt(ratio)
/// for "sqrt", or base for "none". `ratio` is the number of GPUs, or the global batch divided by
/// the batch size for which `base` was chosen.
double lr_peak(double base, const std::string& scale, double ratio);

/// Returns the number of training samples that a run uses. Returns nothing if neither the study nor
/// the kind of data determines the number.
std::optional<std::int64_t> train_samples(const contract::RunSpec& run);

/// Returns the number of optimizer steps per epoch: samples / global batch, rounded up with
/// last_batch "pad" and down with "drop". Returns nothing if the number of samples is unknown.
std::optional<std::int64_t> steps_per_epoch(const contract::RunSpec& run);

}  // namespace dlscale::planner
