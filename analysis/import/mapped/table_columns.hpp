// SPDX-License-Identifier: Apache-2.0
// Finds the columns of a table that the user mapped and builds rows from them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/import/mapped/row_reader.hpp"

namespace dlscale::analysis {

/// Name of a mapped column that stands for every column without a separate mapping. Each cell of
/// such a column becomes a separate row.
inline constexpr const char* kEveryColumn = "*";
/// Name of a mapped column that contains the heading of the column for which "*" stands.
inline constexpr const char* kColumnName = "#column";

class TableColumns {
 public:
  explicit TableColumns(const std::vector<MappedColumn>& columns) : columns_(columns) {}

  /// Sets the headings of a new table. An empty list ends the table. A table in which a mapped
  /// heading occurs twice has no rows.
  void set(std::vector<std::string> headings);
  const std::vector<std::string>& headings() const { return headings_; }
  /// Sets a value that is not in a cell, such as the heading above a table. `name` begins with "#".
  /// A mapping can use the value like a column.
  void place(const std::string& name, const std::string& value) { places_[name] = value; }

  /// Return true if the table has at least one mapped column (has_any) or all mapped columns
  /// (has_all).
  bool has_any() const;
  bool has_all() const;
  /// Returns a message about the missing column of the table, such as "has no column "GPUs"". Must
  /// be called only if has_all() returns false.
  std::string what_is_missing() const;
  /// Returns the rows made from a line of the table. The table must have all mapped columns, or it
  /// must be the only table of the log.
  std::vector<TextRow> rows(const std::vector<std::string>& cells) const;
  /// Throws base::UsageError if no table that was read so far had all mapped columns.
  void require() const;

 private:
  std::string what_is_twice() const;
  std::string cell_text(const MappedColumn& column, const std::vector<std::string>& cells) const;
  bool has(const MappedColumn& column) const;
  bool is_wide(std::size_t position) const;

  const std::vector<MappedColumn>& columns_;
  std::vector<std::string> headings_;
  std::map<std::string, std::string> places_;
  std::vector<std::string> seen_;  ///< headings of all tables
  std::string twice_;              ///< problem of the last table with a duplicate column
  bool found_ = false;             ///< true if a table had all mapped columns
};

}  // namespace dlscale::analysis
