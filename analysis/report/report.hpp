// SPDX-License-Identifier: Apache-2.0
// Describes results as tables of typed cells, independent of a file format. A ReportWriter converts
// these tables to text, Markdown, CSV, LaTeX or JSON.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace dlscale::analysis {

/// Lower and upper end of the interval of an uncertain value.
struct Bounds {
  double low = 0;
  double high = 0;
};

/// Text with the names of axes. Readers see short names, and programs read whole names.
struct AxesText {
  std::string shown;  ///< text with short names of axes: "depth=4"
  std::string whole;  ///< the same text with the names of the study's axes: "models.mlp.depth=4"
};

/// Cell of a table: empty (the value was not measured or has no meaning), a text, a number, bounds,
/// or a text with the names of axes.
using Cell = std::variant<std::monostate, std::string, double, Bounds, AxesText>;

struct Column {
  std::string id;       ///< name for programs, with the unit of stored numbers: "step_time_s"
  std::string title;    ///< title for readers: "step time"
  std::string unit;     ///< unit in which the number is shown, e.g. "ms"; empty: none
  int decimals = 0;     ///< number of shown digits after the point
  double scale = 1;     ///< factor from stored to shown numbers: 1000 for seconds shown as ms
  bool bounds = false;  ///< true if the cells are Bounds; CSV has two columns for them
  /// True for p values. A p value is never exactly 0, so a value that would be rounded to 0 is
  /// shown as, for example, "<0.0001".
  bool p_value = false;
  /// True if the column identifies the row (axes, GPU count, epoch, …). The other columns hold
  /// results.
  bool is_key = false;
};

struct Table {
  std::string id;     ///< file name without extension, and LaTeX label
  std::string title;  ///< title in one line
  /// Notes of one line each: baseline, scaling mode, statistic, left-out runs.
  std::vector<std::string> notes;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< rows; each row has one cell for each column
  /// Number of notes at the start of `notes` that explain how to read the numbers (baseline,
  /// scaling mode, statistic). A LaTeX caption contains these notes.
  std::size_t notes_in_caption = 2;
};

/// Text that is shown instead of a table without rows.
inline constexpr const char* kNoRows = "no completed run can be shown here";

struct Report {
  std::vector<Table> tables;
};

/// Returns the heading of a column: its title, followed by its unit in brackets if it has one.
std::string heading(const Column& column);

/// Returns true if no cell of the column is a text. Such columns are right-aligned.
bool is_numeric(const Table& table, std::size_t column);

/// Returns the text of a cell as readers see it: numbers are scaled and rounded as `column` says.
/// Returns `missing` for an empty cell.
std::string shown(const Cell& cell, const Column& column, const std::string& missing);

}  // namespace dlscale::analysis
