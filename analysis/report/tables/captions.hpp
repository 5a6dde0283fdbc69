// SPDX-License-Identifier: Apache-2.0
// Writes the notes of tables and figures. The notes explain what the numbers mean and which runs
// were left out.
#pragma once

#include <string>
#include <vector>

#include "analysis/metrics/scaling/baseline.hpp"

namespace dlscale::analysis {

/// Returns a text on the scaling mode, such as "weak scaling: batch per GPU fixed, same data set at
/// every GPU count".
std::string describe_mode(const Frame& frame);

/// Returns a text on the numbers of used and unused runs, such as "29 of 32 runs used, 2 failed
/// (Failed 1, OutOfMemory 1), 1 unreadable".
std::string describe_use(const Frame& frame);

/// Returns a text on the runs that resumed from checkpoints, such as "2 runs resumed from
/// checkpoints (5 launches); 0:01:10 of training time was repeated or lost and is excluded from
/// times and throughputs". Returns an empty text if no run was interrupted.
std::string describe_interruptions(const Frame& frame);

/// Returns a text on the runs whose step times became steady after the end of the warm-up that the
/// trainer marked. The text states whether the steps between these two points were left out. With
/// marked warm-up, returns an empty text if there are no such runs.
std::string describe_warmup(const Frame& frame);

/// Returns a text on the origin of the times: which records of the runs they are computed from, and
/// whether start-up was left out. Returns an empty text if the curves have no runs.
std::string describe_origin(const std::vector<ScalingCurve>& curves);

/// Returns a text on the statistic, such as "median of n = 3 repeats; ranges from minimum to
/// maximum (no interval for n < 6)".
std::string describe_statistic(const Repeats& repeats);

/// Returns the baselines of all curves as text: "4 GPUs (1 node)", "1 GPU (1 node) or 2 GPUs (1
/// node)", or "none".
std::string baseline_labels(const std::vector<BaselineChoice>& choices, const std::string& worker);

/// Returns a text such as "baseline: 4 GPUs (1 node), the smallest count common to all curves". If
/// the baseline was chosen by axis values (absolute speed-ups), the text also names these values.
/// If no curve has a baseline, the text states this instead of the rule. describe_problems returns
/// the reasons.
std::string describe_baseline(const std::vector<BaselineChoice>& choices,
                              const contract::BaselineRule& rule, const std::string& worker);

/// Returns the reason why the figure or quantity `name` has nothing to show: no run completed, no
/// completed run has records, or no run meets the condition `needs`.
std::string describe_lack(const Frame& frame, const std::string& name, const std::string& needs);

/// Returns the axis values and conditions that are the same in all used runs, such as "all runs:
/// model mlp, device cpu, …".
std::string describe_constants(const Frame& frame);

/// Returns, for each plan folder of a joined frame, the conditions that all used runs of this
/// folder share but that not all used runs of the frame share: "source A: gpu V100, torch 2.1;
/// source B: gpu A100, torch 2.4". Returns an empty text if the runs come from one folder or do not
/// differ.
std::string describe_sources(const Frame& frame);

/// Returns a text on the runs whose global batch was rounded down because it could not be divided
/// evenly among the GPUs, such as "runs with gpus=3 process 63 samples per step instead of the
/// global batch 64". Returns an empty text without such runs.
std::string describe_uneven_batches(const Frame& frame);

/// Returns a text on the runs whose GPUs have different numbers of samples in a step
/// (uneven_batch = "spread"), such as "runs with gpus=3 divide 128 samples per step into 42 or 43
/// per GPU". Returns an empty text without such runs.
std::string describe_spread_batches(const Frame& frame);

/// Returns a note on the runs whose batch is unknown although it is fixed along curves. The note
/// states the number of these runs, and that they form separate curves. Returns an empty text
/// without such runs.
std::string describe_unknown_batches(const Frame& frame);

/// Returns the title of an axis as a column heading, such as "batch/GPU" for the axis
/// batch_per_gpu, and "depth" for models.mlp.depth. `among` contains all axes of the table or
/// figure (see short_axis).
std::string axis_title(const std::string& axis, const std::string& worker,
                       const std::vector<std::string>& among);

/// Returns one warning for each curve whose runs or baseline differ in a condition such as the CPU
/// model. The warning names the difference.
std::vector<std::string> describe_mixtures(const std::vector<ScalingCurve>& curves,
                                           const std::vector<BaselineChoice>& choices);

/// Returns the reasons why curves have no baseline. Each reason appears once, even if it applies to
/// several curves.
std::vector<std::string> describe_problems(const std::vector<BaselineChoice>& choices);

}  // namespace dlscale::analysis
