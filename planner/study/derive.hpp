// SPDX-License-Identifier: Apache-2.0
// Derives the complete run from the settings of a point: batches, learning rate, schedule.
#pragma once

#include <optional>
#include <string>

#include "planner/study/study.hpp"

namespace dlscale::planner {

// The following declarations split a global batch into GPUs, samples per GPU and accumulation
// steps.

/// Batch sizes with global_batch = batch_per_gpu x GPUs x accumulation_steps, unless `problem` is
/// set.
struct Batches {
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  int accumulation_steps = 1;
  double quotient = 0;  ///< batch_per_gpu before rounding
  std::string problem;  ///< reason why the requested batches are impossible
  std::string note;     ///< difference from the request (uneven_batch = "floor")
};

/// Splits the batches of a study. With a limit on the batch per GPU, uses the fewest accumulation
/// steps that respect the limit and divide evenly. With both batches given, computes the
/// accumulation steps from them. Reports a problem for batches that do not divide evenly, or rounds
/// down with uneven_batch "floor". Less than a sample per GPU is always a problem.
Batches split_batches(const BatchWish& requested_key, int gpus, const std::string& uneven_batch);

/// Reason why a point cannot run as requested.
struct Problem {
  std::string key;  ///< key of [matrix] or [training]
  std::string text;
  bool of_batch = false;  ///< true when uneven_batch = "skip" skips the point
};

/// Run without id, repetition and resources. `note` describes the difference from the request
/// (uneven_batch = "floor").
struct Derived {
  contract::RunSpec run;
  std::optional<Problem> problem;
  std::string note;
};

Derived derive(Recipe recipe, const std::string& uneven_batch);

/// Returns the learning rate after warm-up: base x ratio (linear), base x sqrt(ratio) (sqrt), or
/// base (none). The ratio is the number of GPUs, or the global batch divided by the batch that the
/// base belongs to.
double lr_peak(double base, const std::string& scale, double ratio);

/// Returns the number of training samples that a run uses, if the study or the kind of data
/// determines the number.
std::optional<std::int64_t> train_samples(const contract::RunSpec& run);

/// Returns the number of optimizer steps per epoch, if the number of samples is known: samples /
/// global batch, rounded up with last_batch "pad" and down with "drop".
std::optional<std::int64_t> steps_per_epoch(const contract::RunSpec& run);

}  // namespace dlscale::planner
