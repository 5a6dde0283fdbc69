// SPDX-License-Identifier: Apache-2.0
// Parses the headings of a published table: quantities with units, and axes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// Names of quantities and axes in published tables, and the names that the rules use for them.

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
/// Returns whether the quantity is samples per second, of all GPUs or of one GPU.
bool is_rate_name(std::string_view quantity);
bool is_gpu_rate_name(std::string_view quantity);

/// Returns the unit of a column without a unit in its heading: "s", "image/s"; "1" for speed-ups
/// and efficiencies; empty for axes and unknown quantities.
std::string usual_unit(std::string_view quantity);

// Heading of a column: its quantity and unit, or its axis.

struct ColumnHeading {
  std::string heading;    ///< as printed, without its unit
  std::string name;       ///< quantity or axis, by the names of the rules
  std::string statistic;  ///< statistic of the quantity: "median"; empty: none named
  std::string unit;       ///< unit of a measured column
  bool is_measured = false;
  bool has_unit = true;   ///< false for a speed-up or efficiency whose heading has no unit
  bool is_guess = false;  ///< taken as an axis because neither a unit nor the name is known
  std::string problem;    ///< why the heading cannot be read, as a sentence
};

/// Reads "Throughput (images/sec)", "epoch_time@median [s]", "images/sec", "time_s", "# GPUs".
/// A heading is measured if it has a unit in brackets, if its name is a unit, or if it is known as
/// a speed-up or an efficiency. Any other heading is an axis.
ColumnHeading read_column_heading(const std::string& printed);

}  // namespace dlscale::analysis
