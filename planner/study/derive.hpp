// SPDX-License-Identifier: Apache-2.0
// From what a study says about a point to the complete run: batches, learning rate, schedule.
#pragma once

#include <optional>
#include <string>

#include "planner/study/batches.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

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
