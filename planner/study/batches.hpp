// SPDX-License-Identifier: Apache-2.0
// How a global batch is made of GPUs, samples per GPU and accumulation steps.
#pragma once

#include <string>

#include "planner/study/study.hpp"

namespace dlscale::planner {

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

}  // namespace dlscale::planner
