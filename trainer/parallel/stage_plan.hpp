// SPDX-License-Identifier: Apache-2.0
// Plan of a pipeline: the division of the model's blocks into stages, and the order in which a
// stage runs its micro-batches.
//
// All stages run at the same time, so the most expensive stage determines the duration of a step.
// cut_into_stages() therefore minimises the cost of the most expensive stage. pipeline_schedule()
// orders the forward and backward passes of each stage. This order determines how long a stage
// waits for its neighbours, and how much memory the stored activations of a stage need.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

// Division of a sequence of blocks into stages.

/// Divides `costs` (each at least 0) into `stages` non-empty ranges such that the most expensive
/// range is as cheap as possible. Among equally good divisions, selects the division whose later
/// stages begin earliest. Returns stages + 1 block indices. With the result `places`, stage s has
/// the blocks places[s] to places[s + 1] - 1. There must be at least as many blocks as stages.
std::vector<std::size_t> cut_into_stages(const std::vector<double>& costs, std::size_t stages);

// Action in the schedule of a pipeline stage: one pass of one micro-batch.
struct PipelineAction {
  enum Kind { forward, backward } kind;
  int micro_batch;
  bool operator==(const PipelineAction&) const = default;
};

/// Returns the order in which stage `stage` (s) of `stages` (S) runs the passes of `micro_batches`
/// (M) micro-batches.
/// - "gpipe" (Huang et al., 2019) runs all forward passes, then all backward passes. Every stage
///   stores activations of all M micro-batches.
/// - "1f1b" (Narayanan et al., PipeDream-Flush, 2021) starts with min(S - 1 - s, M) forward passes,
///   then alternates one forward and one backward pass, and ends with the remaining backward
///   passes. A stage stores activations of at most min(S - s, M) micro-batches.
/// - The ideal bubble of both schedules is (S - 1) / (M + S - 1) of the step.
/// - In both schedules, neighbouring stages exchange messages in the same order.
std::vector<PipelineAction> pipeline_schedule(std::string_view name, int stage, int stages,
                                              int micro_batches);

}  // namespace dlscale::trainer
