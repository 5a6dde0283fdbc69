// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cells/number_cell.hpp"
#include "analysis/cells/separator.hpp"

namespace dlscale::analysis {
namespace {

class CsvRowsReader {
 public:
  CsvRowsReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  CsvText read() {
    CsvText csv;
    while (at_ < text_.size()) {
      if (skip_line_end()) continue;
      if (text_[at_] == '#') {
        last_comment_ = place();
        csv.comments.push_back(comment());
        continue;
      }
      if (csv.header.empty()) take_header(csv);
      if (skip_line_end() || at_ >= text_.size()) continue;
      std::vector<CsvCell> row = cells();
      require_length(row, csv.header.size());
      csv.rows.push_back(std::move(row));
    }
    csv.separator = separator_;
    if (csv.header.empty()) throw base::SpecError({file_, line_, 1}, "", "no header line");
    return csv;
  }

 private:
  struct Place {
    std::size_t at = 0, line_start = 0;
    int line = 1;
  };
  Place place() const { return {at_, line_start_, line_}; }
  void go_to(const Place& place) {
    at_ = place.at;
    line_start_ = place.line_start;
    line_ = place.line;
  }

  std::vector<CsvCell> header_at(const Place& place) {
    go_to(place);
    separator_ = separator_of(text_.substr(at_, text_.find('\n', at_) - at_));
    return cells();
  }

  /// Reads the line of headings. "# GPUs,time [s]" above a row of numbers is one, and no comment.
  void take_header(CsvText& csv) {
    const Place first = place();
    std::vector<CsvCell> header = header_at(first);
    const Place behind = place();
    const char separator = separator_;
    const bool has_number = std::any_of(header.begin(), header.end(), [](const CsvCell& cell) {
      const NumberCell number = read_number_cell(cell.text, DecimalMark::point);
      return number.problem.empty() && number.unit.empty();
    });
    csv.header = std::move(header);
    if (!has_number || csv.comments.empty()) return;
    std::vector<CsvCell> commented = header_at(last_comment_);
    const bool is_header = commented.size() == csv.header.size() && commented.size() > 1;
    if (!is_header) {
      separator_ = separator;
      return go_to(behind);
    }
    csv.header = std::move(commented);
    csv.comments.pop_back();
    go_to(first);
  }

  base::Location here() const { return {file_, line_, static_cast<int>(at_ - line_start_) + 1}; }

  bool at_line_end() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n";
  }

  bool skip_line_end() {
    if (at_ >= text_.size() || !at_line_end()) return false;
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++line_;
    line_start_ = at_;
    return true;
  }

  CsvCell comment() {
    CsvCell cell{"", here()};
    ++at_;
    while (!at_line_end()) cell.text += text_[at_++];
    if (cell.text.starts_with(' ')) cell.text.erase(0, 1);
    return cell;
  }

  std::vector<CsvCell> cells() {
    std::vector<CsvCell> row{cell()};
    while (at_ < text_.size() && text_[at_] == separator_) {
      ++at_;
      row.push_back(cell());
    }
    return row;
  }

  CsvCell cell() {
    CsvCell cell{"", here()};
    if (at_ < text_.size() && text_[at_] == '"') {
      quoted(cell);
      return cell;
    }
    while (!at_line_end() && text_[at_] != separator_) cell.text += text_[at_++];
    cell.text.erase(0, std::min(cell.text.find_first_not_of(' '), cell.text.size()));
    cell.text.erase(cell.text.find_last_not_of(' ') + 1);
    return cell;
  }

  void quoted(CsvCell& cell) {
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) throw base::SpecError(cell.place, "", "this quote is never closed");
      if (text_[at_] == '"') {
        if (text_.substr(at_, 2) != "\"\"") break;
        ++at_;
      } else if (text_[at_] == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      }
      cell.text += text_[at_];
    }
    ++at_;
    if (!at_line_end() && text_[at_] != separator_) {
      const char* const name = separator_ == ','   ? "comma"
                               : separator_ == ';' ? "semicolon"
                                                   : "tab";
      throw base::SpecError(here(), "",
                            fmt::format("a {} is missing behind the closing quote", name));
    }
  }

  void require_length(const std::vector<CsvCell>& row, std::size_t length) const {
    if (row.size() == length) return;
    throw base::SpecError(
        row.size() > length ? row[length].place : row.front().place, "",
        fmt::format("{} cells, but the header has {} columns", row.size(), length));
  }

  std::string_view text_;
  const std::string& file_;
  char separator_ = ',';
  Place last_comment_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace

CsvText parse_csv(std::string_view text, const std::string& file) {
  return CsvRowsReader(text, file).read();
}

}  // namespace dlscale::analysis
