// SPDX-License-Identifier: Apache-2.0
// Tables as CSV: rows of cells that know where they stand.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::base {

/// Returns the character between the cells: comma, semicolon or tab, whichever the heading has most
/// of outside of quotation marks.
char csv_separator_of(std::string_view heading);

struct CsvCell {
  std::string text;
  Location place;  ///< of its first character
};

enum class CsvQuotes {
  /// RFC 4180: quotation marks are around a whole cell, which may then hold line ends. Other cells
  /// lose the spaces around them.
  around_cells,
  /// Quotation marks may begin and end anywhere in a cell, but a row ends with its line. All cells
  /// lose the spaces and tabs around them.
  anywhere,
};

/// Reads a text row by row. Lines end with LF or CRLF. A byte order mark is skipped. In quotation
/// marks, two of them stand for one.
class CsvReader {
 public:
  /// The text must outlive the reader. The file is the one that places name.
  explicit CsvReader(std::string_view text, std::string file = "",
                     CsvQuotes quotes = CsvQuotes::around_cells);

  bool at_end() const { return at_.offset >= text_.size(); }
  /// What is left of the text begins with this character.
  bool is_at(char c) const { return !at_end() && text_[at_.offset] == c; }
  Location location() const;

  char separator() const { return separator_; }
  void set_separator(char separator) { separator_ = separator; }
  /// Takes the separator from the line that is read next, a heading.
  void recognise_separator();

  /// Goes behind the end of a line if the reader is at one, and returns whether it was.
  bool skip_line_end();
  /// Reads to the end of the line as one text: a comment.
  CsvCell line();
  /// Reads the cells to the end of the line; an empty line has one empty cell. With
  /// CsvQuotes::around_cells, throws SpecError for a quotation mark that is never closed and for
  /// text behind a closing one.
  std::vector<CsvCell> row();
  /// With CsvQuotes::anywhere, returns whether the last row ended within quotation marks.
  bool has_open_quote() const { return has_open_quote_; }

  struct Position {
    std::size_t offset = 0, line_start = 0;
    int line = 1;
  };
  /// Where the reader is, to read from there again.
  Position position() const { return at_; }
  void go_to(const Position& position) { at_ = position; }

 private:
  bool at_line_end() const;
  CsvCell cell();
  void read_quoted(CsvCell& cell);
  void read_with_quotes(CsvCell& cell);

  std::string_view text_;
  std::string file_;
  CsvQuotes quotes_;
  char separator_ = ',';
  bool has_open_quote_ = false;
  Position at_;
};

}  // namespace dlscale::base
