// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/table_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/cells/number_cell.hpp"
#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

std::size_t position_of(const std::vector<std::string>& headings, const std::string& name) {
  return static_cast<std::size_t>(std::find(headings.begin(), headings.end(), name) -
                                  headings.begin());
}

}  // namespace

void TableColumns::set(std::vector<std::string> headings) {
  headings_ = std::move(headings);
  if (const std::string twice = what_is_twice(); !twice.empty()) twice_ = twice;
  for (const std::string& heading : headings_) {
    if (std::find(seen_.begin(), seen_.end(), heading) == seen_.end()) seen_.push_back(heading);
  }
  found_ = found_ || (!headings_.empty() && has_all());
}

std::string TableColumns::what_is_twice() const {
  for (const MappedColumn& column : columns_) {
    const auto times = std::count(headings_.begin(), headings_.end(), column.column);
    if (times > 1) {
      return fmt::format("has {} columns \"{}\": rename all of them except one", times,
                         column.column);
    }
  }
  return "";
}

bool TableColumns::has(const MappedColumn& column) const {
  const bool is_place = column.column == kEveryColumn || column.column == kColumnName ||
                        places_.contains(column.column);
  return is_place || position_of(headings_, column.column) < headings_.size();
}

bool TableColumns::has_any() const {
  return std::any_of(columns_.begin(), columns_.end(), [&](const MappedColumn& column) {
    return position_of(headings_, column.column) < headings_.size();
  });
}

bool TableColumns::has_all() const {
  return what_is_twice().empty() &&
         std::all_of(columns_.begin(), columns_.end(),
                     [&](const MappedColumn& column) { return has(column); });
}

std::string TableColumns::what_is_missing() const {
  if (std::string twice = what_is_twice(); !twice.empty()) return twice;
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [&](const MappedColumn& one) { return !has(one); });
  return column == columns_.end() ? "" : fmt::format("has no column \"{}\"", column->column);
}

bool TableColumns::is_wide(std::size_t position) const {
  return std::none_of(columns_.begin(), columns_.end(), [&](const MappedColumn& column) {
    return column.column == headings_[position];
  });
}

std::string TableColumns::cell_text(const MappedColumn& column,
                                    const std::vector<std::string>& cells) const {
  const std::size_t position = position_of(headings_, column.column);
  if (position < cells.size()) return cells[position];
  const auto place = places_.find(column.column);
  return place == places_.end() ? "" : place->second;
}

std::vector<TextRow> TableColumns::rows(const std::vector<std::string>& cells) const {
  if (!what_is_twice().empty()) return {};
  TextRow common;
  std::vector<std::string> wide, names;  // fields mapped to "*" and to "#column"
  for (const MappedColumn& column : columns_) {
    if (column.column == kEveryColumn) {
      wide.push_back(column.field);
    } else if (column.column == kColumnName) {
      names.push_back(column.field);
    } else if (has(column)) {
      common.emplace_back(column.field, cell_text(column, cells));
    }
  }
  if (wide.empty()) return {common};
  std::vector<TextRow> rows;
  for (std::size_t i = 0; i < headings_.size() && i < cells.size(); ++i) {
    if (!is_wide(i) || is_blank_cell(cells[i])) continue;
    TextRow row = common;
    for (const std::string& field : names) row.emplace_back(field, headings_[i]);
    for (const std::string& field : wide) row.emplace_back(field, cells[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

void TableColumns::require() const {
  if (found_) return;
  if (!twice_.empty()) throw base::UsageError(twice_);
  for (const MappedColumn& column : columns_) {
    const bool is_place = column.column.starts_with('#') && places_.contains(column.column);
    const bool is_seen = position_of(seen_, column.column) < seen_.size();
    if (is_place || is_seen || column.column == kEveryColumn || column.column == kColumnName) {
      continue;
    }
    throw base::UsageError(
        fmt::format("has no column \"{}\" (the columns are: {})", column.column,
                    seen_.empty() ? "none" : fmt::format("{}", fmt::join(seen_, ", "))));
  }
  throw base::UsageError(
      fmt::format("has no table with all mapped columns (the columns are: {})",
                  seen_.empty() ? "none" : fmt::format("{}", fmt::join(seen_, ", "))));
}

}  // namespace dlscale::analysis
