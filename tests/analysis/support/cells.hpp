// SPDX-License-Identifier: Apache-2.0
// Access to the table of a metric, and to table cells by row and column.
#pragma once

#include <string>
#include <variant>

#include "analysis/report/report.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "base/error.hpp"

namespace dlscale::test {

/// Returns the first table of `dlscale analyze --metric METRIC`.
inline analysis::Table table_of(const char* metric, const analysis::Frame& frame) {
  return analysis::make_report(analysis::find_metric(metric), frame, {}, {}).tables.at(0);
}

/// Returns the index of a column. Throws base::RunError for an unknown column.
inline std::size_t column(const analysis::Table& table, const std::string& id) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].id == id) return i;
  }
  throw base::RunError("no column " + id);
}

inline const analysis::Cell& cell(const analysis::Table& table, std::size_t row,
                                  const std::string& id) {
  return table.rows.at(row).at(column(table, id));
}

inline double number(const analysis::Table& table, std::size_t row, const std::string& id) {
  return std::get<double>(cell(table, row, id));
}

/// Returns the text of a cell as readers see it.
inline std::string text(const analysis::Table& table, std::size_t row, const std::string& id) {
  const analysis::Cell& found = cell(table, row, id);
  const auto* named = std::get_if<analysis::AxesText>(&found);
  return named != nullptr ? named->shown : std::get<std::string>(found);
}

inline bool is_empty(const analysis::Table& table, std::size_t row, const std::string& id) {
  return std::holds_alternative<std::monostate>(cell(table, row, id));
}

inline std::string notes(const analysis::Table& table) {
  std::string all;
  for (const std::string& note : table.notes) all += note + "\n";
  return all;
}

}  // namespace dlscale::test
