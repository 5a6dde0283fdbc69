// SPDX-License-Identifier: Apache-2.0
// Describes results as tables of typed cells. A ReportWriter renders them.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace dlscale::analysis {

/// Lower and upper end of an uncertain value.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// Cell of a table: empty (not measured, or meaningless), a text, a number, or bounds.
using Cell = std::variant<std::monostate, std::string, double, Bounds>;

struct Column {
  std::string id;       ///< name for programs, with its unit: "step_time_s"
  std::string title;    ///< title for readers: "step time"
  std::string unit;     ///< unit of the shown number: "ms"; empty: none
  int decimals = 0;     ///< number of shown digits after the point
  double scale = 1;     ///< shown number / stored number: 1000 for seconds shown as ms
  bool bounds = false;  ///< true if cells are Bounds, which are two columns in CSV
  /// True for a probability, which is never 0. A value too small for the shown digits is shown as
  /// "<0.0001".
  bool p_value = false;
};

struct Table {
  std::string id;                  ///< file name without extension, and LaTeX label
  std::string title;               ///< title in one line
  std::vector<std::string> notes;  ///< one-line notes: baseline, mode, statistic, left-out runs
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< rows with as many cells as columns
  /// Number of leading notes that explain how to read the numbers (baseline, mode, statistic). A
  /// caption contains them.
  std::size_t notes_in_caption = 2;
};

/// Text for readers in place of a table without rows.
inline constexpr const char* kNoRows = "no completed run can be shown here";

struct Report {
  std::vector<Table> tables;
};

/// Returns the column's title with its unit in brackets.
std::string heading(const Column& column);

/// Returns true for a column of numbers or bounds, which is right-aligned.
bool is_numeric(const Table& table, std::size_t column);

/// Returns the rounded text of a cell for readers. Returns `missing` for an empty cell.
std::string shown(const Cell& cell, const Column& column, const std::string& missing);

}  // namespace dlscale::analysis
