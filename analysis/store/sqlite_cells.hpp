// SPDX-License-Identifier: Apache-2.0
// Private to analysis/store/*.cpp: cells of results.sqlite that may be NULL.
#pragma once

#include <SQLiteCpp/Column.h>

#include <cmath>
#include <optional>
#include <string>

namespace dlscale::analysis {

/// NaN for NULL.
inline double number_or_nan(const SQLite::Column& cell) {
  return cell.isNull() ? std::nan("") : cell.getDouble();
}

inline std::optional<double> optional_number(const SQLite::Column& cell) {
  return cell.isNull() ? std::nullopt : std::optional(cell.getDouble());
}

inline std::optional<int> optional_int(const SQLite::Column& cell) {
  return cell.isNull() ? std::nullopt : std::optional(cell.getInt());
}

/// Empty for NULL.
inline std::string text_or_empty(const SQLite::Column& cell) {
  return cell.isNull() ? "" : cell.getString();
}

}  // namespace dlscale::analysis
