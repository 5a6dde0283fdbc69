// SPDX-License-Identifier: Apache-2.0
// Writes the sentences above a table or figure that explain its numbers and the left-out runs.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// Returns a text such as "weak scaling: batch per GPU fixed, same data set at every GPU count".
std::string describe_mode(const Frame& frame);

/// Returns a text such as "29 of 32 runs used, 2 failed (Failed 1, OutOfMemory 1), 1 unreadable".
std::string describe_use(const Frame& frame);

/// Returns a text such as "2 runs went on from checkpoints (5 launches); 0:01:10 of training was
/// done again or in vain and counts in no number". Returns an empty text if no run was interrupted.
std::string describe_interruptions(const Frame& frame);

/// Returns a text on runs whose step times became steady later than the trainer marked, and on
/// whether these steps were left out. Returns an empty text if there are none.
std::string describe_warmup(const Frame& frame);

/// Returns a text on the records from which the times of these runs are computed, and on whether
/// start-up was left out. Returns an empty text without runs.
std::string describe_origin(const std::vector<ScalingCurve>& curves);

/// Returns a text such as "median of n = 3 repeats; ranges are smallest to largest: no interval for
/// n < 6".
std::string describe_statistic(const Repeats& repeats);

/// Returns the baselines in use: "4 GPUs (1 node)", "1 GPU (1 node) or 2 GPUs (1 node)", "none".
std::string baseline_labels(const std::vector<BaselineChoice>& choices, const std::string& worker);

/// Returns a text such as "baseline: 4 GPUs (1 node), the smallest count all curves have". For
/// absolute speed-ups, the text also names the denominator.
std::string describe_baseline(const std::vector<BaselineChoice>& choices,
                              const contract::BaselineRule& rule, const std::string& worker);

/// Returns the values that the used runs share, axes first: "all runs: model mlp, device cpu, …".
std::string describe_constants(const Frame& frame);

/// Returns the runs whose global batch was rounded down from that of their curve: "gpus=3 ran 63
/// samples a step instead of the global batch 64". Returns an empty text without such runs.
std::string describe_uneven_batches(const Frame& frame);

/// Returns a note with the number of runs for which the batch that curves keep is unknown, and on
/// the curves that contain them. Returns an empty text without such runs.
std::string describe_unknown_batches(const Frame& frame);

/// Returns the title of an axis above a column: "batch/GPU" for batch_per_gpu.
std::string axis_title(const std::string& axis, const std::string& worker);

/// Returns a warning with the difference for each curve that compares unlike runs.
std::vector<std::string> describe_mixtures(const std::vector<ScalingCurve>& curves,
                                           const std::vector<BaselineChoice>& choices);

/// Returns the problems of the curves without a baseline, each problem once.
std::vector<std::string> describe_problems(const std::vector<BaselineChoice>& choices);

}  // namespace dlscale::analysis
