// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/described/line_values.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

bool has(const std::vector<std::string_view>& cells, const std::string& name) {
  return std::find(cells.begin(), cells.end(), name) != cells.end();
}

std::vector<std::string_view> cells_of(std::string_view line, char separator) {
  std::vector<std::string_view> cells = base::split(line, separator);
  for (std::string_view& cell : cells) cell = base::trimmed(cell, " ");
  return cells;
}

}  // namespace

bool is_heading(const TableRule& table, std::string_view line) {
  if (!table.has_heading()) return false;
  if (!table.heading.empty()) return line.starts_with(table.heading);
  if (table.heading_pattern) {
    std::vector<std::string_view> groups;
    return table.heading_pattern->find(line, groups) == Regex::MatchResult::yes;
  }
  const auto cells = cells_of(line, table.separator);
  const auto is_cell = [&](const std::string& name) { return has(cells, name); };
  return std::all_of(table.columns.begin(), table.columns.end(), is_cell) &&
         (table.any_of.empty() || std::any_of(table.any_of.begin(), table.any_of.end(), is_cell));
}

std::string without_colours(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b' || i + 1 == text.size() || text[i + 1] != '[') {
      plain += text[i];
      continue;
    }
    // A control sequence is ESC, "[", parameters, and one final byte from @ to ~ (ECMA-48).
    for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i) {
    }
  }
  return plain;
}

LineValues::Result LineValues::read(const LineRule& rule, std::string_view line, bool is_complete) {
  std::string_view text = line;
  if (!rule.starts.empty() && !line.starts_with(rule.starts)) return Result::other;
  for (const std::string& mark : rule.contains) {
    const std::size_t at = line.find(mark);
    if (at == line.npos) return Result::other;
    if (&mark == &rule.contains.front()) text.remove_prefix(at);
  }
  numbers_.assign(rule.names.size(), std::nan(""));
  texts_.assign(rule.names.size(), {});
  const bool is_selected = !rule.starts.empty() || !rule.contains.empty();
  search(rule, text);
  switch (rule.source) {
    case LineRule::Source::none:
      if (!is_selected) return Result::other;
      return !rule.otherwise.empty() ? Result::no_value : Result::values;
    case LineRule::Source::pattern:
      if (read_pattern(rule, text)) return Result::values;
      return is_selected ? Result::no_value : Result::other;
    case LineRule::Source::json:
      if (read_json(rule, text)) return Result::values;
      return is_selected ? Result::no_value : Result::other;
    case LineRule::Source::table:
      return read_row(rule, line, is_complete);
  }
  return Result::other;
}

bool LineValues::store_value(std::size_t name, std::string_view text) {
  texts_[name] = text;
  std::string plain;
  if (!format_.thousands.empty() && text.find_first_of(format_.thousands) != text.npos) {
    plain = text;
    std::erase_if(plain, [&](char c) { return format_.thousands.find(c) != std::string::npos; });
    text = plain;
  }
  double value = 0;
  if (whole_loss(text, value)) {
    numbers_[name] = value;
    return true;
  }
  const bool looks_like_number =
      !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos &&
      text.find_first_of("0123456789") != text.npos && base::is_digit(text.back());
  return !looks_like_number;
}

/// Reads the values that have their own search expression. A value without a match stays unknown.
void LineValues::search(const LineRule& rule, std::string_view text) {
  for (std::size_t i = 0; i < rule.names.size(); ++i) {
    const LineName& name = rule.names[i];
    if (!name.search) continue;
    if (name.is_count) {
      numbers_[i] = name.search->count(text);
    } else if (name.search->find(text, groups_) == Regex::MatchResult::yes && !groups_[1].empty()) {
      if (!name.is_time) {
        store_value(i, groups_[1]);
      } else if (TextScanner time(groups_[1]); !date_and_time(time, numbers_[i])) {
        numbers_[i] = std::nan("");
      }
    }
  }
}

bool LineValues::read_pattern(const LineRule& rule, std::string_view text) {
  if (rule.pattern->find(text, groups_) != Regex::MatchResult::yes) return false;
  for (std::size_t i = 0; i < rule.names.size(); ++i) {
    if (rule.names[i].search) continue;
    const std::string_view group = groups_[static_cast<std::size_t>(rule.names[i].group)];
    if (!group.empty() && !store_value(i, group)) return false;
  }
  return true;
}

bool LineValues::read_json(const LineRule& rule, std::string_view text) {
  const std::size_t open = text.find('{'), close = text.rfind('}');
  if (open == text.npos || close == text.npos || close < open) return false;
  if (!json_.read(text.substr(open, close + 1 - open))) return false;
  for (std::size_t i = 0; i < rule.names.size(); ++i) {
    if (rule.names[i].search) continue;
    const std::string& key = rule.names[i].key;
    numbers_[i] = json_.loss(key);
    texts_[i] = json_.text(key).value_or("");
  }
  return true;
}

const LineValues::Columns& LineValues::columns_of(const LineRule& rule) {
  const auto [found, is_new] = columns_.try_emplace(&rule);
  Columns& columns = found->second;
  if (!is_new) return columns;
  columns.are_of_table = !rule.table.has_heading() || is_heading(rule.table, heading_);
  columns.of_name.resize(rule.names.size());
  std::vector<std::string_view> groups;
  const auto matches = [&](const std::optional<Regex>& pattern, const std::string& heading) {
    return pattern && pattern->find(heading, groups) == Regex::MatchResult::yes;
  };
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    bool is_named = false;
    for (std::size_t name = 0; name < rule.names.size(); ++name) {
      const LineName& one = rule.names[name];
      const bool is_column =
          one.columns ? matches(one.columns, headings_[i]) : !one.search && one.key == headings_[i];
      const bool is_second = !one.columns && !columns.of_name[name].empty();
      if (!is_column || is_second) continue;
      columns.of_name[name].push_back(i);
      is_named = is_named || !one.is_count;
    }
    if (!is_named && rule.evaluation && matches(rule.evaluation->other_columns, headings_[i])) {
      columns.others.push_back(i);
    }
  }
  return columns;
}

LineValues::Result LineValues::read_row(const LineRule& rule, std::string_view line,
                                        bool is_complete) {
  const TableRule& table = rule.table;
  if (is_heading(table, line)) {
    if (!is_complete) return Result::heading;
    heading_ = line;
    headings_.clear();
    columns_.clear();
    for (const std::string_view cell : cells_of(line, table.separator)) {
      headings_.emplace_back(cell);
    }
    return Result::heading;
  }
  if (headings_.empty() || line.find(table.separator) == line.npos) return Result::other;
  const Columns& columns = columns_of(rule);
  if (!columns.are_of_table) return Result::other;
  cells_ = cells_of(line, table.separator);
  bool is_row = cells_.size() == headings_.size() ||
                (cells_.size() > headings_.size() && table.allows_more_cells);
  for (std::size_t i = 0; i < rule.names.size(); ++i) {
    const LineName& name = rule.names[i];
    if (name.search) continue;
    int count = 0;
    for (const std::size_t column : columns.of_name[i]) {
      const std::string_view cell = column < cells_.size() ? cells_[column] : "";
      if (cell.empty()) continue;
      const double before = numbers_[i];
      numbers_[i] = std::nan("");
      if (!store_value(i, cell) && !name.columns) is_row = false;
      if (!std::isnan(numbers_[i])) {
        ++count;
      } else if (name.columns) {
        numbers_[i] = before;
      }
    }
    if (name.is_count) numbers_[i] = count;
  }
  return is_row ? Result::values : Result::no_value;
}

}  // namespace dlscale::analysis
