// SPDX-License-Identifier: Apache-2.0
// Parses the column headings of published tables. A column contains either a quantity with a unit
// or an axis (a setting such as the GPU count).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dlscale::analysis {

// Names of quantities and axes in published tables, and the names that the rules use for them.

/// Returns the name that the rules use for a printed quantity: "speedup" for "Speed-up" and
/// "Speedup over 1 GPU", "throughput" for "images/sec", "throughput_per_gpu" for "Throughput per
/// GPU", "epoch_time" for "seconds per epoch". Returns nothing for other names.
std::optional<std::string> known_quantity(std::string_view name);

/// Returns true for "Speed", "Performance" and other names that mean a throughput if the unit of
/// the column is a rate of samples.
bool is_speed_name(std::string_view name);

/// Returns the name of a scaling axis: "gpus" for "# GPUs" and "A100 GPUs", "ranks" for "World
/// size", "cores" for "CPU cores". Returns nothing for other names, such as "GPUs per node".
std::optional<std::string> known_scaling_axis(std::string_view name);

/// Returns true for the names of settings whose columns contain plain numbers: batch sizes, epochs,
/// layers, seeds.
bool is_usual_setting(std::string_view name);

/// Returns true if the first word of the name, such as "ideal", "linear" or "expected", shows that
/// the values were not measured.
bool is_ideal_name(std::string_view name);

/// Returns true for the time of a run or of a fixed part of a run, such as an epoch or a step.
bool is_time_name(std::string_view quantity);
/// Returns true for the time of a step. The work of a step is one batch and does not depend on the
/// size of the data set.
bool is_step_time_name(std::string_view quantity);
/// is_rate_name() returns true for samples per second of all GPUs. is_gpu_rate_name() returns true
/// for samples per second of one GPU.
bool is_rate_name(std::string_view quantity);
bool is_gpu_rate_name(std::string_view quantity);

/// Returns the unit that a quantity usually has: "s" for times, "image/s" for throughputs, "1" for
/// speed-ups and efficiencies. Returns an empty text for axes and unknown quantities.
std::string usual_unit(std::string_view quantity);

// Heading of a column: its quantity and unit, or its axis.

struct ColumnHeading {
  std::string heading;    ///< printed heading without its unit
  std::string name;       ///< name that the rules use for the quantity or axis
  std::string statistic;  ///< statistic in the heading, such as "median"; empty: none
  std::string unit;       ///< unit of a measured column
  bool is_measured = false;
  bool has_unit = true;   ///< false for a speed-up or efficiency whose heading has no unit
  bool is_guess = false;  ///< true for an axis whose name and unit are unknown
  std::string problem;    ///< why the heading cannot be read, as a sentence; empty: it can
};

/// Reads a heading such as "Throughput (images/sec)", "epoch_time@median [s]", "images/sec",
/// "time_s" or "# GPUs". A column contains measurements if its heading has a unit or names a
/// speed-up or an efficiency. Any other column is an axis.
ColumnHeading read_column_heading(const std::string& printed);

}  // namespace dlscale::analysis
