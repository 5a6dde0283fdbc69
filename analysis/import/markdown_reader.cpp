// SPDX-License-Identifier: Apache-2.0
// Tables of Markdown files, and others drawn with "|" between columns and "-" below the headings.
//
// Cells are what a reader sees: of links their text, without emphasis, tags and footnote marks.
// What stands above a table can be a column: #heading is the nearest heading, #heading1 to
// #heading6 that of a level, #table the number of the table in the file.
#include <algorithm>
#include <cctype>
#include <utility>

#include "analysis/import/table_columns.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// "<br>" becomes a blank; other tags go, a footnote's ("<sup>") with what stands between them.
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

/// "[text](address)" becomes "text".
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

/// Replaces "&nbsp;" and its like, and takes the backslash from "\*".
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

/// The cells of "| a | b |"; "\|" is no end of a cell.
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

class MarkdownReader : public RowReader {
 public:
  explicit MarkdownReader(const MappedFormat& format) : columns_(format.columns) {
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
    if (in_code_) return is_row ? "stands in a code block" : "";
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

  bool more(TextRow& row) override {
    if (rows_.empty()) return false;
    row = std::move(rows_.front());
    rows_.erase(rows_.begin());
    return true;
  }

  void require_columns() const override { columns_.require(); }
  bool needs_all() const override { return true; }

 private:
  void end_table() {
    pending_.clear();
    columns_.set({});
    after_rule_ = false;
  }

  /// Below a row it makes that the headings; two of them part tables.
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
    const std::vector<std::string>& headings = columns_.headings();
    after_rule_ = false;
    if (headings.empty()) {
      pending_ = std::move(cells);
      return "";
    }
    if (!columns_.has_all()) {
      is_about_other_ = true;
      return "its table " + columns_.what_is_missing();
    }
    if (cells.size() != headings.size()) {
      return "has " + std::to_string(cells.size()) + " of " + std::to_string(headings.size()) +
             " columns";
    }
    rows_ = columns_.rows(cells);
    return "";
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

  TableColumns columns_;
  std::vector<TextRow> rows_;         ///< of the line, still to be taken
  std::vector<std::string> pending_;  ///< a row that a rule would make headings
  int tables_ = 0;
  bool after_rule_ = false, in_code_ = false;
};

}  // namespace

std::unique_ptr<RowReader> make_markdown_reader(const MappedFormat& format) {
  return std::make_unique<MarkdownReader>(format);
}

}  // namespace dlscale::analysis
