// SPDX-License-Identifier: Apache-2.0
// Rows of the database's views in a format of other programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace dlscale::analysis {

/// A value as SQLite keeps it; nothing is NULL.
using ViewValue = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Takes one view after another. What it writes is complete after finish(), and counts for nothing
/// without it.
class ViewWriter {
 public:
  virtual ~ViewWriter() = default;
  /// The rows that follow are of this view.
  virtual void begin(const std::string& view, const std::vector<std::string>& columns) = 0;
  /// As many values as columns.
  virtual void row(const std::vector<ViewValue>& values) = 0;
  /// Throws base::RunError when something could not be written.
  virtual void finish() = 0;
};

/// <folder>/<view>.csv: a line of names, then RFC 4180; NULL is an empty cell.
std::unique_ptr<ViewWriter> make_csv_views(const std::filesystem::path& folder);
/// <folder>/<view>.jsonl: an object a line, NULL is null.
std::unique_ptr<ViewWriter> make_jsonl_views(const std::filesystem::path& folder);
/// One database file with a table for each view. Throws base::RunError.
std::unique_ptr<ViewWriter> make_sqlite_views(const std::filesystem::path& file);

}  // namespace dlscale::analysis
