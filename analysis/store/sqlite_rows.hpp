// SPDX-License-Identifier: Apache-2.0
// Helpers that insert rows by column names and read cells that may be NULL. Private to
// the .cpp files of analysis/store/ and its folders.
#pragma once

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace dlscale::analysis {

/// Returns the number in the cell, or NaN for NULL.
inline double number_or_nan(const SQLite::Column& cell) {
  return cell.isNull() ? std::nan("") : cell.getDouble();
}

inline std::optional<double> optional_number(const SQLite::Column& cell) {
  return cell.isNull() ? std::nullopt : std::optional(cell.getDouble());
}

inline std::optional<int> optional_int(const SQLite::Column& cell) {
  return cell.isNull() ? std::nullopt : std::optional(cell.getInt());
}

/// Returns the text in the cell, or an empty text for NULL.
inline std::string text_or_empty(const SQLite::Column& cell) {
  return cell.isNull() ? "" : cell.getString();
}

/// Returns the numbers of a JSON array such as "[1.5,null,2]" in the cell. Entries that are not
/// numbers become NaN. Returns no numbers for NULL.
inline std::vector<double> numbers_in(const SQLite::Column& cell) {
  std::vector<double> numbers;
  const std::string array = text_or_empty(cell);
  std::string_view text = array;
  if (!text.empty()) text.remove_prefix(1);  // removes the opening bracket
  while (text.size() > 1) {
    numbers.push_back(base::leading_number(text, std::nan("")));
    text.remove_prefix(std::min(text.find_first_of(",]"), text.size() - 1) + 1);
  }
  return numbers;
}

/// Prepared INSERT statement. Values are added in the order of the columns: `add(a,
/// b).add(c).done()`. A text that is passed as a variable is not copied, so the variable must exist
/// until done().
class Inserter {
 public:
  Inserter(SQLite::Database& database, const std::string& table,
           const std::vector<std::string>& columns, const std::string& verb = "INSERT")
      : statement_(database,
                   fmt::format("{} INTO {} ({}) VALUES ({})", verb, table, fmt::join(columns, ", "),
                               fmt::join(std::vector<std::string>(columns.size(), "?"), ", "))),
        columns_(static_cast<int>(columns.size())) {}

  template <class... Values>
  Inserter& add(Values&&... values) {
    (bind(std::forward<Values>(values)), ...);
    return *this;
  }

  /// Writes the row and starts the next row. Columns without a value become NULL.
  void done() {
    while (next_ <= columns_) statement_.bind(next_++);
    statement_.exec();
    statement_.reset();
    next_ = 1;
  }

 private:
  void bind(const std::string& value) { statement_.bindNoCopy(next_++, value); }
  void bind(const std::string&& value) { statement_.bind(next_++, value); }
  void bind(const char* value) { statement_.bind(next_++, value); }
  void bind(double value) { statement_.bind(next_++, value); }  // SQLite stores NaN as NULL
  void bind(std::int64_t value) { statement_.bind(next_++, value); }
  void bind(int value) { statement_.bind(next_++, value); }
  void bind(bool value) { statement_.bind(next_++, value ? 1 : 0); }
  template <class T>
  void bind(const std::optional<T>& value) {
    if (value) {
      bind(T(*value));  // copied, because the optional may be destroyed before the row is written
    } else {
      statement_.bind(next_++);
    }
  }

  SQLite::Statement statement_;
  const int columns_;
  int next_ = 1;
};

}  // namespace dlscale::analysis
