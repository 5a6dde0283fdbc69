// SPDX-License-Identifier: Apache-2.0
#include "base/csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace dlscale::base {

char csv_separator_of(std::string_view heading) {
  int commas = 0, semicolons = 0, tabs = 0;
  bool quoted = false;
  for (const char c : heading) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    commas += c == ',' ? 1 : 0;
    semicolons += c == ';' ? 1 : 0;
    tabs += c == '\t' ? 1 : 0;
  }
  if (tabs > commas && tabs > semicolons) return '\t';
  return semicolons > commas ? ';' : ',';
}

CsvReader::CsvReader(std::string_view text, std::string file, CsvQuotes quotes)
    : text_(text), file_(std::move(file)), quotes_(quotes) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

Location CsvReader::location() const {
  return {file_, at_.line, static_cast<int>(at_.offset - at_.line_start) + 1};
}

void CsvReader::recognise_separator() {
  const std::string_view rest = text_.substr(at_.offset);
  separator_ = csv_separator_of(rest.substr(0, rest.find('\n')));
}

bool CsvReader::at_line_end() const {
  return at_end() || text_[at_.offset] == '\n' || text_.substr(at_.offset, 2) == "\r\n";
}

bool CsvReader::skip_line_end() {
  if (at_end() || !at_line_end()) return false;
  at_.offset += text_[at_.offset] == '\r' ? 2 : 1;
  ++at_.line;
  at_.line_start = at_.offset;
  return true;
}

CsvCell CsvReader::line() {
  CsvCell line{"", location()};
  while (!at_line_end()) line.text += text_[at_.offset++];
  return line;
}

std::vector<CsvCell> CsvReader::row() {
  has_open_quote_ = false;
  std::vector<CsvCell> cells{cell()};
  while (is_at(separator_)) {
    ++at_.offset;
    cells.push_back(cell());
  }
  return cells;
}

CsvCell CsvReader::cell() {
  CsvCell cell{"", location()};
  if (quotes_ == CsvQuotes::anywhere) {
    read_with_quotes(cell);
  } else if (is_at('"')) {
    read_quoted(cell);
  } else {
    const std::size_t begin = at_.offset;
    while (!at_line_end() && text_[at_.offset] != separator_) ++at_.offset;
    cell.text = trimmed(text_.substr(begin, at_.offset - begin), " ");
  }
  return cell;
}

void CsvReader::read_quoted(CsvCell& cell) {
  for (++at_.offset;; ++at_.offset) {
    if (at_end()) throw SpecError(cell.place, "", "the quote that begins here is not closed");
    const char c = text_[at_.offset];
    if (c == '"') {
      if (text_.substr(at_.offset, 2) != "\"\"") break;
      ++at_.offset;
    } else if (c == '\n') {
      ++at_.line;
      at_.line_start = at_.offset + 1;
    }
    cell.text += c;
  }
  ++at_.offset;
  if (at_line_end() || is_at(separator_)) return;
  const char* const name = separator_ == ',' ? "comma" : separator_ == ';' ? "semicolon" : "tab";
  throw SpecError(location(), "", fmt::format("a {} is missing after the closing quote", name));
}

void CsvReader::read_with_quotes(CsvCell& cell) {
  std::string text;
  for (; !at_line_end(); ++at_.offset) {
    const char c = text_[at_.offset];
    if (c == separator_ && !has_open_quote_) break;
    if (c != '"') {
      text += c;
    } else if (has_open_quote_ && text_.substr(at_.offset, 2) == "\"\"") {
      text += c;
      ++at_.offset;
    } else {
      has_open_quote_ = !has_open_quote_;
    }
  }
  cell.text = trimmed(text);
}

}  // namespace dlscale::base
