// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/pivot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace dlscale::analysis {
namespace {

/// Returns the number of the key column of the axis. A column whose name equals the name of another
/// column has the prefix "axis_" (see tell_axes_apart). Returns the number of columns if there is
/// none.
std::size_t column_of_axis(const Table& table, const std::string& axis) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (!column.is_key) continue;
    if (column.id == axis || column.title == "axis " + axis || column.id == "axis_" + axis) {
      return i;
    }
  }
  return table.columns.size();
}

std::string value_text(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.15g}", *number);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr || text->empty() ? "unknown" : *text;
}

/// Returns the first part of the column ids for a value of the axis. Characters other than letters
/// and digits become "_". A number is appended if another value already has this id.
std::string group_id(const std::string& axis, const std::string& value,
                     std::set<std::string>& used) {
  const bool is_number = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
  std::string id = is_number ? axis + "_" + value : value;
  std::replace_if(
      id.begin(), id.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  std::string unique = id;
  for (int i = 2; !used.insert(unique).second; ++i) unique = fmt::format("{}_{}", id, i);
  return unique;
}

std::string group_title(const std::string& axis, const std::string& value) {
  const bool is_number = std::isdigit(static_cast<unsigned char>(value.front())) != 0;
  return is_number || value == "unknown" ? fmt::format("{}={}", axis, value) : value;
}

/// Rows of a table before and after the pivot.
class Pivot {
 public:
  Pivot(const Table& table, const std::string& axis, const std::vector<contract::Axis>& axes)
      : table_(table), axis_(axis), axes_(axes), axis_column_(column_of_axis(table, axis)) {
    const std::string& title = table.columns[axis_column_].title;
    shown_name_ = axis.ends_with("." + title) ? title : axis;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i != axis_column_) (table.columns[i].is_key ? keys_ : results_).push_back(i);
    }
    const auto is_shown = [&](const std::string& value) {
      return std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
        return value_text(row[axis_column_]) == value;
      });
    };
    for (const std::string& value : listed_values(axis)) {
      if (is_shown(value)) add_value(value);
    }
    for (const std::vector<Cell>& row : table.rows) add_value(value_text(row[axis_column_]));
  }

  Table result() const {
    Table pivot = table_;
    pivot.columns = columns();
    pivot.rows = rows();
    pivot.notes.push_back(
        fmt::format("columns side by side for each {}: {}", shown_name_, fmt::join(values_, ", ")));
    return pivot;
  }

 private:
  /// Returns the values that the study lists for the axis. Returns none if the study does not list
  /// them, because the axis is a property of each run.
  std::vector<std::string> listed_values(const std::string& axis) const {
    const auto found = std::ranges::find(axes_, axis, &contract::Axis::name);
    return found == axes_.end() ? std::vector<std::string>{} : found->values;
  }

  void add_value(const std::string& value) {
    if (std::ranges::find(values_, value) == values_.end()) values_.push_back(value);
  }

  std::vector<Column> columns() const {
    std::vector<Column> columns;
    std::set<std::string> used;
    for (const std::size_t i : keys_) columns.push_back(table_.columns[i]);
    for (const std::string& value : values_) {
      const std::string id = group_id(axis_, value, used);
      for (const std::size_t i : results_) {
        Column column = table_.columns[i];
        column.id = id + "_" + column.id;
        column.title = group_title(shown_name_, value) + " " + column.title;
        columns.push_back(std::move(column));
      }
    }
    return columns;
  }

  /// Returns the positions by which the texts of each key column are sorted: first the values that
  /// the study lists, then other texts in the order in which the table shows them. Numbers are
  /// sorted by their values. Empty cells come last.
  std::vector<std::map<std::string, double>> text_positions() const {
    std::vector<std::map<std::string, double>> positions(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const auto add = [&](const std::string& text) {
        positions[k].emplace(text, static_cast<double>(positions[k].size()));
      };
      for (const std::string& value : listed_values(table_.columns[keys_[k]].id)) add(value);
      for (const std::vector<Cell>& row : table_.rows) {
        if (const auto* text = std::get_if<std::string>(&row[keys_[k]])) add(*text);
      }
    }
    return positions;
  }

  std::vector<std::vector<Cell>> rows() const {
    const std::vector<std::map<std::string, double>> positions = text_positions();
    // The second part of a key counts the rows that the key columns do not tell apart.
    std::map<std::pair<std::vector<double>, int>, std::vector<Cell>> merged;
    std::map<std::pair<std::vector<double>, std::string>, int> repeats;
    for (const std::vector<Cell>& row : table_.rows) {
      std::vector<double> order;
      for (std::size_t k = 0; k < keys_.size(); ++k) {
        const Cell& cell = row[keys_[k]];
        if (const auto* number = std::get_if<double>(&cell)) {
          order.push_back(*number);
        } else if (const auto* text = std::get_if<std::string>(&cell)) {
          order.push_back(positions[k].at(*text));
        } else {
          order.push_back(std::numeric_limits<double>::infinity());
        }
      }
      const std::string value = value_text(row[axis_column_]);
      std::vector<Cell>& cells = merged[{order, repeats[{order, value}]++}];
      if (cells.empty()) {
        for (const std::size_t i : keys_) cells.push_back(row[i]);
        cells.resize(keys_.size() + values_.size() * results_.size());
      }
      const auto group =
          static_cast<std::size_t>(std::ranges::find(values_, value) - values_.begin());
      for (std::size_t i = 0; i < results_.size(); ++i) {
        cells[keys_.size() + group * results_.size() + i] = row[results_[i]];
      }
    }
    std::vector<std::vector<Cell>> rows;
    for (auto& [order, cells] : merged) rows.push_back(std::move(cells));
    return rows;
  }

  const Table& table_;
  const std::string axis_;
  std::string shown_name_;  ///< name of the axis for readers (short_axis)
  const std::vector<contract::Axis>& axes_;
  const std::size_t axis_column_;
  std::vector<std::size_t> keys_, results_;  ///< indices of key and result columns
  std::vector<std::string> values_;
};

}  // namespace

bool has_axis(const Table& table, const std::string& axis) {
  return column_of_axis(table, axis) < table.columns.size();
}

Table pivoted(const Table& table, const std::string& axis,
              const std::vector<contract::Axis>& axes) {
  return Pivot(table, axis, axes).result();
}

}  // namespace dlscale::analysis
