// SPDX-License-Identifier: Apache-2.0
// Which columns of a table the user means, and what its rows then say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/import/row_reader.hpp"

namespace dlscale::analysis {

/// Stands for every column that is not mapped by its name: each is a row of its own.
inline constexpr const char* kEveryColumn = "*";
/// In place of a column: the heading of the one that "*" stands for.
inline constexpr const char* kColumnName = "#column";

class TableColumns {
 public:
  explicit TableColumns(const std::vector<MappedColumn>& columns) : columns_(columns) {}

  /// The headings of a table that begins, without them the end of one. A table that has a mapped
  /// heading twice has no rows.
  void set(std::vector<std::string> headings);
  const std::vector<std::string>& headings() const { return headings_; }
  /// What stands in no cell, by a name with "#" before it that a mapping may use as a column.
  void place(const std::string& name, const std::string& value) { places_[name] = value; }

  /// True when the table has a column that is mapped, and when it has all of them.
  bool has_any() const;
  bool has_all() const;
  /// Returns what the table lacks, such as "has no column "GPUs""; for a table without has_all().
  std::string what_is_missing() const;
  /// The rows that a line of this table makes, for a table that has all columns or is the only one.
  std::vector<TextRow> rows(const std::vector<std::string>& cells) const;
  /// Throws base::UsageError when no table so far had all columns.
  void require() const;

 private:
  std::string what_is_twice() const;
  std::string text_of(const MappedColumn& column, const std::vector<std::string>& cells) const;
  bool has(const MappedColumn& column) const;
  bool is_wide(std::size_t position) const;

  const std::vector<MappedColumn>& columns_;
  std::vector<std::string> headings_;
  std::map<std::string, std::string> places_;
  std::vector<std::string> seen_;  ///< headings of all tables
  std::string twice_;              ///< what the last table with a column twice has twice
  bool found_ = false;             ///< a table had all columns
};

}  // namespace dlscale::analysis
