// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/mapped/row_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "analysis/import/mapped/table_columns.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"
#include "analysis/import/reading/regex.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

[[noreturn]] void miss(const std::string& column, const std::set<std::string>& there) {
  throw base::UsageError(
      fmt::format("has no column \"{}\" (the columns are: {})", column,
                  there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
}

/// Splits a line into cells. Returns false if a quotation mark is not closed.
bool split_cells(std::string_view line, char separator, std::vector<std::string>& cells) {
  base::CsvReader reader(line, "", base::CsvQuotes::anywhere);
  reader.set_separator(separator);
  for (base::CsvCell& cell : reader.row()) cells.push_back(std::move(cell.text));
  return !reader.has_open_quote();
}

/// Reader of tables, whose lines can have several rows.
class TableReader : public RowReader {
 public:
  explicit TableReader(const MappedFormat& format) : columns_(format.columns) {}

  bool more(TextRow& row) override {
    if (rows_.empty()) return false;
    row = std::move(rows_.front());
    rows_.erase(rows_.begin());
    return true;
  }

  void require_columns() const override { columns_.require(); }

 protected:
  /// Sets the rows of the current line. Returns an error message, or an empty text on success.
  std::string make_rows(const std::vector<std::string>& cells) {
    const std::size_t expected = columns_.headings().size();
    if (cells.size() != expected)
      return fmt::format("has {} of {} columns", cells.size(), expected);
    rows_ = columns_.rows(cells);
    return "";
  }

  TableColumns columns_;
  std::vector<TextRow> rows_;  ///< remaining rows of the current line
};

/// Reads CSV files according to RFC 4180, except that a quoted cell cannot contain a line end. The
/// separator is the character among comma, semicolon and tab that occurs most often in the heading.
class CsvReader : public TableReader {
 public:
  using TableReader::TableReader;

  std::string read(std::string_view line, TextRow& row) override {
    rows_.clear();
    if (base::trimmed(line).empty()) return "";
    if (!is_ready()) {
      read_headings(line);
      return "";
    }
    std::vector<std::string> cells;
    if (!split_cells(line, separator_, cells)) return "a quotation mark is not closed";
    if (cells == columns_.headings()) return "";  // the heading of an appended table
    std::string problem = make_rows(cells);
    more(row);
    return problem;
  }

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

  char separator_ = ',';
};

class JsonReader : public RowReader {
 public:
  explicit JsonReader(const MappedFormat& format) : columns_(format.columns) {}

  std::string read(std::string_view line, TextRow& row) override {
    if (base::trimmed(line).empty()) return "";
    is_about_other_ = false;
    if (!object_.read(line)) return "is not a JSON object";
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
  std::set<std::string> keys_;  ///< keys in the log whose values are numbers
  std::set<std::string> seen_;
};

class PatternReader : public RowReader {
 public:
  explicit PatternReader(const MappedFormat& format) {
    bool measured = false;
    std::string meant;  // measure that other programs call by the name of a group
    for (const std::string& pattern : format.patterns) {
      Regex regex(pattern);
      patterns_.push_back({std::move(regex), {}, {}, false});
      patterns_.back().names = patterns_.back().regex.names();
      patterns_.back().are_read.resize(patterns_.back().names.size());
      for (const auto& [name, number] : patterns_.back().names) {
        measured = measured || find_measure(name).has_value();
        if (!find_measure(name)) check_axis_name("pattern", name);
        if (meant.empty()) meant = measure_called(name);
      }
    }
    if (measured) return;
    std::vector<std::string> names;
    for (const MeasureEntry& entry : measures()) names.emplace_back(entry.name);
    throw base::UsageError(fmt::format(
        "at least one pattern must have a named group for a measure, for example "
        "(?<loss>…){} (measures: {})",
        meant.empty() ? "" : fmt::format("; did you mean \"{}\"?", meant), fmt::join(names, ", ")));
  }

  std::string read(std::string_view line, TextRow& row) override {
    for (Pattern& pattern : patterns_) {
      const Regex::MatchResult found = pattern.regex.find(line, groups_);
      if (found == Regex::MatchResult::gave_up)
        return "a pattern needs too many match steps on "
               "this line: simplify the pattern";
      if (found == Regex::MatchResult::no) continue;
      pattern.is_used = true;
      for (std::size_t i = 0; i < pattern.names.size(); ++i) {
        const auto& [name, number] = pattern.names[i];
        const std::string_view text = groups_[static_cast<std::size_t>(number)];
        if (text.empty()) continue;
        row.emplace_back(name, text);
        pattern.are_read[i] = true;
      }
      return "";
    }
    return "";
  }

  void require_columns() const override {}

  std::set<std::size_t> unused_patterns() const override {
    std::set<std::size_t> unused;
    std::size_t group = patterns_.size();
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (!patterns_[i].is_used) unused.insert(i);
      for (const bool is_read : patterns_[i].are_read) {
        if (!is_read) unused.insert(group);
        ++group;
      }
    }
    return unused;
  }

 private:
  struct Pattern {
    Regex regex;
    std::vector<std::pair<std::string, int>> names;
    std::vector<bool> are_read;  ///< true for each name whose group has matched some text
    bool is_used = false;        ///< true if the pattern has read a line
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

// Reads Markdown tables, and other tables with "|" between columns and "-" below the headings.
// Cells are read as a viewer displays them: links show their text, and emphasis, tags and footnote
// marks are removed. The text above a table can serve as a column. #heading is the nearest heading
// above the table, #heading1 to #heading6 are the nearest headings of levels 1 to 6, and #table is
// the number of the table in the file.

namespace {

/// Replaces "<br>" with a blank and removes other tags. For a footnote tag ("<sup>"), the content
/// is also removed.
void strip_tags(std::string& text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at)) {
    const bool is_footnote = text.compare(at, 5, "<sup>") == 0;
    const std::string_view end = is_footnote ? "</sup>" : ">";
    const std::size_t stop = text.find(end, at);
    if (stop == text.npos) return;
    const bool is_break = text.compare(at, 3, "<br") == 0;
    text.replace(at, stop + end.size() - at, is_break ? " " : "");
  }
}

/// Replaces "[text](address)" with "text".
void strip_links(std::string& text) {
  for (std::size_t close = text.find("]("); close != text.npos; close = text.find("](", close)) {
    const std::size_t open = text.rfind('[', close);
    const std::size_t end = text.find(')', close);
    if (open == text.npos || end == text.npos) return;
    text.erase(close, end + 1 - close);
    text.erase(open, 1);
    close = open;
  }
}

/// Replaces HTML entities such as "&nbsp;" and removes the backslash from escapes such as "\*".
void strip_escapes(std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&nbsp;", " "}, {"&thinsp;", " "}, {"&plusmn;", "±"}, {"&times;", "×"}, {"&asymp;", "≈"},
      {"&lt;", "<"},   {"&gt;", ">"},     {"&le;", "≤"},     {"&ge;", "≥"},    {"&amp;", "&"}};
  for (const auto& [entity, character] : kEntities) {
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity)) {
      text.replace(at, entity.size(), character);
    }
  }
  for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
    const char next = at + 1 < text.size() ? text[at + 1] : 'a';
    if (std::ispunct(static_cast<unsigned char>(next)) != 0) text.erase(at, 1);
  }
}

std::string plain_cell(std::string_view cell) {
  std::string text(cell);
  strip_tags(text);
  strip_links(text);
  strip_escapes(text);
  std::erase(text, '`');
  for (std::size_t at = text.find("**"); at != text.npos; at = text.find("**")) text.erase(at, 2);
  return std::string(base::trimmed(text));
}

/// Returns the cells of "| a | b |". An escaped "\|" does not end a cell.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = line.find('|') + 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.push_back(plain_cell(cell));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  if (!base::trimmed(cell).empty()) cells.push_back(plain_cell(cell));
  return cells;
}

bool is_rule(std::string_view line) {
  return line.find("---") != line.npos && line.find_first_not_of("-=+|: \t") == line.npos;
}

class MarkdownReader : public TableReader {
 public:
  explicit MarkdownReader(const MappedFormat& format) : TableReader(format) {
    columns_.place("#table", "");
    columns_.place("#heading", "");
    for (char level = '1'; level <= '6'; ++level) place_heading(level, "");
  }

  std::string read(std::string_view line, TextRow& row) override {
    rows_.clear();
    const std::string text(base::trimmed(line));
    if (text.starts_with("```")) in_code_ = !in_code_;
    const bool is_row = text.starts_with('|') && !is_rule(text);
    is_about_other_ = in_code_;
    if (in_code_) return is_row ? "is inside a code block" : "";
    if (is_rule(text)) {
      take_rule();
    } else if (is_row) {
      const std::string problem = take_row(text);
      if (!problem.empty()) return problem;
    } else {
      end_table();
      if (text.starts_with('#')) take_heading(text);
    }
    more(row);
    return "";
  }

  bool needs_all() const override { return true; }

 private:
  void end_table() {
    pending_.clear();
    columns_.set({});
    after_rule_ = false;
  }

  /// Processes a rule, which is a line of "-" below or within a table. The row above the first rule
  /// becomes the headings. A second rule that directly follows a rule ends the table.
  void take_rule() {
    if (!pending_.empty()) {
      columns_.place("#table", std::to_string(++tables_));
      columns_.set(std::move(pending_));
      pending_.clear();
    } else if (after_rule_) {
      columns_.set({});
    }
    after_rule_ = true;
  }

  std::string take_row(const std::string& text) {
    std::vector<std::string> cells = cells_of(text);
    after_rule_ = false;
    if (columns_.headings().empty()) {
      pending_ = std::move(cells);
      return "";
    }
    if (!columns_.has_all()) {
      is_about_other_ = true;
      return "its table " + columns_.what_is_missing();
    }
    return make_rows(cells);
  }

  void place_heading(char level, const std::string& text) {
    columns_.place(std::string("#heading") + level, text);
  }

  void take_heading(const std::string& text) {
    const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
    if (level > 6 || level == text.size() || text[level] != ' ') return;
    const std::string heading = plain_cell(text.substr(level));
    columns_.place("#heading", heading);
    place_heading(static_cast<char>('0' + level), heading);
    for (std::size_t below = level + 1; below <= 6; ++below) {
      place_heading(static_cast<char>('0' + below), "");
    }
  }

  std::vector<std::string> pending_;  ///< row that becomes the headings if a rule follows
  int tables_ = 0;
  bool after_rule_ = false, in_code_ = false;
};

}  // namespace

std::unique_ptr<RowReader> make_markdown_reader(const MappedFormat& format) {
  return std::make_unique<MarkdownReader>(format);
}

}  // namespace dlscale::analysis
