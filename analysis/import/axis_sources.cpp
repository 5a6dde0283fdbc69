// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/axis_sources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/import/mapped/measured_cell.hpp"
#include "analysis/import/mapped/row_reader.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kPath = "path";

std::pair<std::string, std::string> split_option(const std::string& option, const std::string& text,
                                                 const char* form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw base::UsageError(fmt::format("{} {}: must be {}", option, text, form));
  }
  check_axis_name(option, text.substr(0, equals));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// Returns the headings of a table: the cells of the first line that is neither empty nor a "#"
/// comment.
std::vector<std::string> headings_of(const std::string& text) {
  LogLines lines(text);
  while (lines.next()) {
    const std::string_view line = lines.line().text;
    if (!line.empty() && !line.starts_with('#')) return csv_headings(line);
  }
  return {};
}

bool ends_with_path(const std::string& path, const std::string& end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || end.starts_with('/') ||
         path[path.size() - end.size() - 1] == '/';
}

}  // namespace

PathAxis::PathAxis(const std::string& text)
    : name_(split_option("--axis", text, "NAME=REGEX").first),
      regex_(split_option("--axis", text, "NAME=REGEX").second) {
  if (regex_.groups() == 1) return;
  throw base::UsageError(
      fmt::format("--axis {}: the expression must contain exactly one group in parentheses, which "
                  "captures the value (found {})",
                  text, regex_.groups()));
}

std::optional<std::string> PathAxis::value(const ForeignLog& log) const {
  std::vector<std::string_view> groups;
  const std::string_view path = std::string_view(log.shown).substr(log.above);
  if (regex_.find_last(path, groups) != Regex::MatchResult::yes) return std::nullopt;
  return std::string(groups[1]);
}

std::pair<std::string, std::string> parse_stated(const std::string& option,
                                                 const std::string& text) {
  return split_option(option, text, "NAME=VALUE");
}

AxisTable::AxisTable(const std::string& file) {
  const std::string text = base::read_text_file(file);
  MappedFormat format{.kind = "csv"};
  bool has_path = false;
  for (const std::string& heading : headings_of(text)) {
    const bool is_twice = std::any_of(format.columns.begin(), format.columns.end(),
                                      [&](const auto& one) { return one.column == heading; });
    if (is_twice) {
      throw base::UsageError(fmt::format("--table {}: has two columns \"{}\"", file, heading));
    }
    has_path = has_path || heading == kPath;
    if (heading != kPath) check_axis_name("--table " + file, heading);
    format.columns.push_back({heading, heading});
  }
  if (!has_path) {
    throw base::UsageError(fmt::format("--table {}: has no column \"path\"", file));
  }
  const std::unique_ptr<RowReader> reader = make_row_reader(format);
  LogLines lines(text);
  while (lines.next()) {
    TextRow cells;
    const std::string problem = reader->read(lines.line().text, cells);
    if (!problem.empty()) throw base::SpecError({file, lines.line().number}, "", problem);
    if (cells.empty()) continue;
    Row row{.line = lines.line().number};
    for (const auto& [heading, value] : cells) {
      heading == kPath ? row.path = value : row.axes[heading] = value;
    }
    rows_.push_back(std::move(row));
  }
}

const AxisValues* AxisTable::find(const ForeignLog& log) {
  const AxisValues* axes = nullptr;
  for (Row& row : rows_) {
    if (row.path.empty() || !ends_with_path(log.path.generic_string(), row.path)) continue;
    (axes == nullptr ? row.is_used : row.is_late) = true;
    if (axes == nullptr) axes = &row.axes;
  }
  return axes;
}

std::vector<std::string> AxisTable::unused() const {
  std::vector<std::string> paths;
  for (const Row& row : rows_) {
    if (row.is_used) continue;
    if (row.path.empty()) {
      paths.push_back(fmt::format("line {} has no path", row.line));
    } else {
      paths.push_back(row.path + (row.is_late ? " is ignored: an earlier row matches the same log"
                                              : " matches none of the imported logs"));
    }
  }
  return paths;
}

void MergedAxes::add(const std::string& source, const AxisValues& axes) {
  for (const auto& [name, printed] : axes) {
    const std::string value = axis_text(name, printed, DecimalMark::point);
    if (value.empty()) continue;
    const auto [known, is_new] = values_.try_emplace(name, value);
    if (is_new) {
      sources_[name] = source;
    } else if (known->second != value) {
      conflicts_.push_back(fmt::format("{} is {} according to {}, but {} according to {}", name,
                                       known->second, sources_[name], value, source));
    }
  }
}

std::string MergedAxes::source_of(const std::string& axis) const {
  const auto found = sources_.find(axis);
  return found == sources_.end() ? "" : found->second;
}

}  // namespace dlscale::analysis
