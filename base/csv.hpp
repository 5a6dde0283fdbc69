// SPDX-License-Identifier: Apache-2.0
// Reads CSV tables as rows of cells with their positions in the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::base {

/// Returns the separator between cells: the comma, semicolon or tab that occurs most often in the
/// heading outside of quotation marks.
char csv_separator_of(std::string_view heading);

struct CsvCell {
  std::string text;
  Location place;  ///< position of the first character
};

enum class CsvQuotes {
  /// Quotation marks enclose a whole cell, which may then contain line ends (RFC 4180). Spaces
  /// around cells without quotation marks are removed.
  around_cells,
  /// Quotation marks may begin and end anywhere in a cell, but text in quotation marks cannot
  /// contain line ends. Spaces and tabs around all cells are removed.
  anywhere,
};

/// Reader that reads a CSV text row by row. Lines end with LF or CRLF. A byte order mark is
/// skipped. Within quotation marks, two quotation marks stand for one quotation mark.
class CsvReader {
 public:
  /// Creates a reader. `text` must outlive the reader. `file` is the file name in locations.
  explicit CsvReader(std::string_view text, std::string file = "",
                     CsvQuotes quotes = CsvQuotes::around_cells);

  bool at_end() const { return at_.offset >= text_.size(); }
  /// Returns whether the rest of the text begins with this character.
  bool is_at(char c) const { return !at_end() && text_[at_.offset] == c; }
  Location location() const;

  char separator() const { return separator_; }
  void set_separator(char separator) { separator_ = separator; }
  /// Detects the separator in the next line, which must be a heading. All later rows are read with
  /// this separator.
  void recognise_separator();

  /// Skips a line end if the reader is at a line end. Returns true if a line end was skipped.
  bool skip_line_end();
  /// Reads the rest of the line as one text, for example a comment.
  CsvCell line();
  /// Reads the cells up to the end of the line. An empty line has one empty cell. With
  /// CsvQuotes::around_cells, throws SpecError for a quotation mark that is never closed and for
  /// text after a closing quotation mark.
  std::vector<CsvCell> row();
  /// Returns whether the last row lacks a closing quotation mark. Only for CsvQuotes::anywhere.
  bool has_open_quote() const { return has_open_quote_; }

  struct Position {
    std::size_t offset = 0, line_start = 0;
    int line = 1;
  };
  /// Returns the current position, to which `go_to` can return.
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
