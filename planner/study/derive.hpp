// SPDX-License-Identifier: Apache-2.0
// From what a study says about a point to the complete run: batches, learning rate, schedule.
#pragma once

#include <optional>
#include <string>

#include "planner/study/study.hpp"

namespace dlscale::planner {

// How a global batch is made of GPUs, samples per GPU and accumulation steps.

/// global_batch = batch_per_gpu x GPUs x accumulation_steps, unless `problem` says something.
struct Batches {
  std::int64_t batch_per_gpu = 0, global_batch = 0;
  int accumulation_steps = 1;
  double quotient = 0;  ///< batch_per_gpu before it was made whole
  std::string problem;  ///< why this cannot run as asked
  std::string note;     ///< what differs from what was asked (uneven_batch = "floor")
};

/// With a limit of the batch per GPU the accumulation steps are the fewest that keep it and divide
/// evenly; with both batches given they are what is left. What does not divide evenly is a problem,
/// or rounded down with uneven_batch "floor". Less than one sample per GPU is never rounded.
Batches split_batches(const BatchWish& wish, int gpus, const std::string& uneven_batch);

/// Why a point cannot run as asked.
struct Problem {
  std::string key;  ///< of [matrix] or [training]
  std::string text;
  bool of_batch = false;  ///< uneven_batch = "skip" leaves such points out
};

/// A run without id, repetition and resources; `note` says what differs from what was asked
/// (uneven_batch = "floor").
struct Derived {
  contract::RunSpec run;
  std::optional<Problem> problem;
  std::string note;
};

Derived derive(Recipe recipe, const std::string& uneven_batch);

/// The rate after warm-up: base x ratio (linear), base x sqrt(ratio) (sqrt), base (none). The ratio
/// is the number of GPUs, or of the global batch to the batch that the base is for.
double lr_peak(double base, const std::string& scale, double ratio);

/// Samples of the training set that a run uses, where the study or the data's kind says it.
std::optional<std::int64_t> train_samples(const contract::RunSpec& run);

/// Optimizer steps of an epoch, where the number of samples is known: samples / global batch,
/// rounded up with last_batch "pad", down with "drop".
std::optional<std::int64_t> steps_per_epoch(const contract::RunSpec& run);

}  // namespace dlscale::planner
