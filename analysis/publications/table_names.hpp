// SPDX-License-Identifier: Apache-2.0
// Names of quantities and axes in published tables, and the names that the rules use for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Returns the name of a quantity that the rules know: "speedup" for "Speed-up" and "Speedup over 1
/// GPU", "throughput" for "images/sec", "throughput_per_gpu" for "Throughput per GPU", "epoch_time"
/// for "seconds per epoch". Empty for other names.
std::optional<std::string> known_quantity(std::string_view name);

/// True for "Speed", "Performance" and other names that are a throughput if their unit is a rate of
/// samples.
bool is_speed_name(std::string_view name);

/// Returns the name of a scaling axis: "gpus" for "# GPUs" and "A100 GPUs", "ranks" for "World
/// size", "cores" for "CPU cores". Empty for other names, such as "GPUs per node".
std::optional<std::string> known_scaling_axis(std::string_view name);

/// True for names of settings that tables give as plain numbers: batches, epochs, layers, seeds.
bool is_usual_setting(std::string_view name);

/// True for a name that begins with "ideal", "linear", "expected" or the like: its values were not
/// measured.
bool is_ideal_name(std::string_view name);

/// True for seconds of all the work or of a fixed share of it: epochs, steps, runs.
bool is_time_name(std::string_view quantity);
/// True for the time of a step, whose work is the batch and not the data set.
bool is_step_time_name(std::string_view quantity);
/// Samples per second of all GPUs, and of one GPU.
bool is_rate_name(std::string_view quantity);
bool is_gpu_rate_name(std::string_view quantity);

/// The unit that a column needs whose heading names none: "s", "image/s"; "1" for speed-ups and
/// efficiencies; empty for axes and unknown quantities.
std::string usual_unit(std::string_view quantity);

}  // namespace dlscale::analysis
