// SPDX-License-Identifier: Apache-2.0
// The heading of a column of a published table: its quantity and unit, or the axis that it names.
#pragma once

#include <string>

namespace dlscale::analysis {

struct ColumnHeading {
  std::string heading;    ///< as printed, without its unit
  std::string name;       ///< quantity or axis, as the rules call it
  std::string statistic;  ///< way to compute the quantity: "median"; empty: none named
  std::string unit;       ///< of a measured column
  bool is_measured = false;
  bool has_unit = true;   ///< false for a speed-up or an efficiency whose heading names none
  bool is_guess = false;  ///< taken as an axis because neither a unit nor the name is known
  std::string problem;    ///< why the heading cannot be read, as a sentence
};

/// Reads "Throughput (images/sec)", "epoch_time@median [s]", "images/sec", "time_s", "# GPUs".
/// A heading is measured if it has a unit in brackets, if its name is a unit, or if it is known as
/// a speed-up or an efficiency. Any other heading is an axis.
ColumnHeading read_column_heading(const std::string& printed);

}  // namespace dlscale::analysis
