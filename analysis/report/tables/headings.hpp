// SPDX-License-Identifier: Apache-2.0
// The sentences above a table or figure that say what its numbers mean and what was left out.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// "weak scaling: batch per GPU fixed, same data set at every GPU count".
std::string describe_mode(const Frame& frame);

/// "29 of 32 runs used, 2 failed (Failed 1, OutOfMemory 1), 1 unreadable".
std::string describe_use(const Frame& frame);

/// "2 runs went on from checkpoints (5 launches); 0:01:10 of training was done again or in vain and
/// counts in no number"; empty if nothing was interrupted.
std::string describe_interruptions(const Frame& frame);

/// Where step times got steady later than their trainer said, and whether that was left out; empty
/// where there is nothing to tell.
std::string describe_warmup(const Frame& frame);

/// What the times of these runs are of, and whether start-up was left out of them; empty without
/// runs.
std::string describe_origin(const std::vector<ScalingCurve>& curves);

/// "median of n = 3 repeats; ranges are smallest to largest: no interval for n < 6".
std::string describe_statistic(const Repeats& repeats);

/// The baselines in use: "4 GPUs (1 node)", "1 GPU (1 node) or 2 GPUs (1 node)", "none".
std::string baseline_labels(const std::vector<BaselineChoice>& choices, const std::string& worker);

/// "baseline: 4 GPUs (1 node), the smallest count all curves have"; of absolute speed-ups also what
/// they are divided by.
std::string describe_baseline(const std::vector<BaselineChoice>& choices,
                              const contract::BaselineRule& rule, const std::string& worker);

/// What the runs that were used share, axes first: "all runs: model mlp, device cpu, …".
std::string describe_constants(const Frame& frame);

/// Which runs had to round the global batch of their curve down: "gpus=3 ran 63 samples a step
/// instead of the global batch 64"; empty if none had to.
std::string describe_uneven_batches(const Frame& frame);

/// Of how many runs nobody says the batch that curves keep, and where these stand; empty if of
/// none.
std::string describe_unknown_batches(const Frame& frame);

/// How an axis is called above a column: "batch/GPU" for batch_per_gpu.
std::string axis_title(const std::string& axis, const std::string& worker);

/// A warning of each curve that compares unlike runs all the same, with what differs.
std::vector<std::string> describe_mixtures(const std::vector<ScalingCurve>& curves,
                                           const std::vector<BaselineChoice>& choices);

/// The problems of the curves without a baseline, each once.
std::vector<std::string> describe_problems(const std::vector<BaselineChoice>& choices);

}  // namespace dlscale::analysis
