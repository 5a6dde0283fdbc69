// SPDX-License-Identifier: Apache-2.0
// What the columns of published tables are called, and what the rules call it.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// "speedup" for "Speed-up", "gpus" for "# GPUs", "throughput_per_gpu" for "Throughput per GPU";
/// other names as they are.
std::string canonical_name(const std::string& name);

/// Seconds for all the work or for a fixed share of it: epochs, steps, runs.
bool is_time_name(std::string_view quantity);
/// Time of a step, whose work is the batch and not the data set.
bool is_step_time_name(std::string_view quantity);
/// Samples a second of all GPUs, and of one GPU.
bool is_rate_name(std::string_view quantity);
bool is_gpu_rate_name(std::string_view quantity);

/// The unit that a column needs whose heading names none: "s", "image/s"; "1" for speed-ups and
/// efficiencies; empty for axes and unknown quantities.
std::string usual_unit(std::string_view quantity);

}  // namespace dlscale::analysis
