// SPDX-License-Identifier: Apache-2.0
// Interface for writers of views. A writer writes the rows of the database's views in one file
// format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace dlscale::analysis {

/// Value of a cell as SQLite stores it. std::monostate is NULL.
using ViewValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Column of a view.
struct ViewColumn {
  std::string name;
  /// Type with which the database declares the column: INTEGER, REAL or TEXT. Empty for a column
  /// that the view computes.
  std::string type;
};

/// Writer of views. It writes one view after another. The output is complete only after finish().
/// If finish() was not called, the output must be discarded.
class ViewWriter {
 public:
  virtual ~ViewWriter() = default;
  /// Starts a view. The rows that follow belong to this view.
  virtual void begin(const std::string& view, const std::vector<ViewColumn>& columns) = 0;
  /// Writes one row, which must have one value per column.
  virtual void row(const std::vector<ViewValue>& values) = 0;
  /// Completes the output. Throws base::RunError when data could not be written.
  virtual void finish() = 0;
};

/// Returns a writer that writes each view to <folder>/<view>.csv: a header row, then rows in the
/// format of RFC 4180. NULL becomes an empty cell.
std::unique_ptr<ViewWriter> make_csv_views(const std::filesystem::path& folder);
/// Returns a writer that writes each view to <folder>/<view>.jsonl, with one JSON object per line.
/// NULL becomes null.
std::unique_ptr<ViewWriter> make_jsonl_views(const std::filesystem::path& folder);
/// Returns a writer that writes all views to one SQLite file, with a table for each view. The
/// columns keep the types that the database declares. Throws base::RunError if the file cannot be
/// opened.
std::unique_ptr<ViewWriter> make_sqlite_views(const std::filesystem::path& file);

}  // namespace dlscale::analysis
