// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/row_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/text_scanner.hpp"
#include "analysis/import/regex.hpp"
#include "analysis/import/table_columns.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

[[noreturn]] void miss(const std::string& column, const std::set<std::string>& there) {
  throw base::UsageError(
      fmt::format("has no column \"{}\" (there are: {})", column,
                  there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
}

/// False when a quotation mark is not closed.
bool split_cells(std::string_view line, char separator, std::vector<std::string>& cells) {
  base::CsvReader reader(line, "", base::CsvQuotes::anywhere);
  reader.set_separator(separator);
  for (base::CsvCell& cell : reader.row()) cells.push_back(std::move(cell.text));
  return !reader.has_open_quote();
}

/// RFC 4180 without line ends in quotes; separated by commas, semicolons or tabs, whichever the
/// heading has most of.
class CsvReader : public RowReader {
 public:
  explicit CsvReader(const MappedFormat& format) : columns_(format.columns) {}

  std::string read(std::string_view line, TextRow& row) override {
    rows_.clear();
    if (base::trimmed(line).empty()) return "";
    if (!is_ready()) {
      read_headings(line);
      return "";
    }
    std::vector<std::string> cells;
    if (!split_cells(line, separator_, cells)) return "a quotation mark is not closed";
    const std::vector<std::string>& headings = columns_.headings();
    if (cells.size() != headings.size()) {
      return fmt::format("has {} of {} columns", cells.size(), headings.size());
    }
    if (cells == headings) return "";  // tables that were written one behind the other
    rows_ = columns_.rows(cells);
    more(row);
    return "";
  }

  bool more(TextRow& row) override {
    if (rows_.empty()) return false;
    row = std::move(rows_.front());
    rows_.erase(rows_.begin());
    return true;
  }

  void require_columns() const override { columns_.require(); }
  bool is_ready() const override { return !columns_.headings().empty(); }

 private:
  void read_headings(std::string_view line) {
    separator_ = base::csv_separator_of(line);
    std::vector<std::string> headings;
    split_cells(line, separator_, headings);
    TableColumns tried = columns_;
    tried.set(headings);
    const bool is_comment = line.starts_with('#') && !tried.has_any();
    if (!is_comment) columns_.set(std::move(headings));
  }

  TableColumns columns_;
  char separator_ = ',';
  std::vector<TextRow> rows_;  ///< of the line, still to be taken
};

class JsonReader : public RowReader {
 public:
  explicit JsonReader(const MappedFormat& format) : columns_(format.columns) {}

  std::string read(std::string_view line, TextRow& row) override {
    if (base::trimmed(line).empty()) return "";
    is_about_other_ = false;
    if (!object_.read(line)) return "is no JSON object";
    bool measured = false;
    for (const MappedColumn& column : columns_) {
      std::string value;
      if (const auto number = object_.number(column.column)) {
        value = fmt::format("{}", *number);
      } else if (const auto text = object_.text(column.column)) {
        value = *text;
      }
      if (object_.has(column.column)) seen_.insert(column.column);
      measured = measured || (!value.empty() && find_measure(column.field).has_value());
      row.emplace_back(column.field, std::move(value));
    }
    object_.each_number("", [&](std::string_view key, double) { keys_.emplace(key); });
    if (measured) return "";
    row.clear();
    is_about_other_ = true;
    return "has no key that is mapped to a measure";
  }

  void require_columns() const override {
    for (const MappedColumn& column : columns_) {
      if (!seen_.contains(column.column)) miss(column.column, keys_);
    }
  }

 private:
  const std::vector<MappedColumn>& columns_;
  JsonObject object_;
  std::set<std::string> keys_;  ///< that numbers had
  std::set<std::string> seen_;
};

class PatternReader : public RowReader {
 public:
  explicit PatternReader(const MappedFormat& format) {
    bool measured = false;
    for (const std::string& pattern : format.patterns) {
      Regex regex(pattern);
      patterns_.push_back({std::move(regex), {}});
      patterns_.back().names = patterns_.back().regex.names();
      for (const auto& [name, number] : patterns_.back().names) {
        measured = measured || find_measure(name).has_value();
        if (!find_measure(name)) check_axis_name("pattern", name);
      }
    }
    if (measured) return;
    std::vector<std::string> names;
    for (const MeasureEntry& entry : measures()) names.emplace_back(entry.name);
    throw base::UsageError(fmt::format(
        "the patterns have no group that is a measure, such as (?<loss>…); there are: {}",
        fmt::join(names, ", ")));
  }

  std::string read(std::string_view line, TextRow& row) override {
    for (const Pattern& pattern : patterns_) {
      const Regex::Found found = pattern.regex.find(line, groups_);
      if (found == Regex::Found::gave_up) return "a pattern takes too long on it";
      if (found == Regex::Found::no) continue;
      for (const auto& [name, number] : pattern.names) {
        const std::string_view text = groups_[static_cast<std::size_t>(number)];
        if (!text.empty()) row.emplace_back(name, text);
      }
      return "";
    }
    return "";
  }

  void require_columns() const override {}

 private:
  struct Pattern {
    Regex regex;
    std::vector<std::pair<std::string, int>> names;
  };

  std::vector<Pattern> patterns_;
  std::vector<std::string_view> groups_;
};

}  // namespace

std::unique_ptr<RowReader> make_row_reader(const MappedFormat& format) {
  if (format.kind == "csv") return std::make_unique<CsvReader>(format);
  if (format.kind == "markdown") return make_markdown_reader(format);
  if (format.kind == "jsonl") return std::make_unique<JsonReader>(format);
  return std::make_unique<PatternReader>(format);
}

std::vector<std::string> csv_headings(std::string_view line) {
  std::vector<std::string> headings;
  split_cells(line, base::csv_separator_of(line), headings);
  return headings;
}

bool read_number(std::string_view text, double& value) {
  return whole_number(base::trimmed(text), value);
}

bool read_loss(std::string_view text, double& value) {
  return whole_loss(base::trimmed(text), value);
}

}  // namespace dlscale::analysis
