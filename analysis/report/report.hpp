// SPDX-License-Identifier: Apache-2.0
// What is shown, as data: tables of typed cells. How it is shown is a ReportWriter's business.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace dlscale::analysis {

/// Lower and upper end of something uncertain.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// Nothing (not measured, or meaningless), a text, a number, or bounds.
using Cell = std::variant<std::monostate, std::string, double, Bounds>;

struct Column {
  std::string id;       ///< for machines, with its unit: "step_time_s"
  std::string title;    ///< for people: "step time"
  std::string unit;     ///< of the shown number: "ms"; empty if none
  int decimals = 0;     ///< shown digits after the point
  double scale = 1;     ///< shown number / stored number: 1000 for seconds shown as ms
  bool bounds = false;  ///< cells are Bounds; CSV makes two columns of them
  /// A probability, which is never 0: one that has no digits is shown as "<0.0001".
  bool p_value = false;
};

struct Table {
  std::string id;                  ///< file name without ending, LaTeX label
  std::string title;               ///< one line
  std::vector<std::string> notes;  ///< baseline, mode, statistic, what was left out; one line each
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns
  /// So many of the notes, from the first, say how the numbers are to be read (baseline, mode,
  /// statistic): a caption has them.
  std::size_t notes_in_caption = 2;
};

/// What stands in place of a table without rows where people read it.
inline constexpr const char* kNoRows = "no completed run can be shown here";

struct Report {
  std::vector<Table> tables;
};

/// The column's title with its unit in brackets.
std::string heading(const Column& column);

/// True for numbers and bounds: they are set flush right.
bool is_numeric(const Table& table, std::size_t column);

/// The cell as people read it, rounded; `missing` for nothing.
std::string shown(const Cell& cell, const Column& column, const std::string& missing);

}  // namespace dlscale::analysis
