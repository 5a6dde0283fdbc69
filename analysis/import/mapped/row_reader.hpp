// SPDX-License-Identifier: Apache-2.0
// Readers that turn the lines of a log into rows of named texts.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/import/mapped/mapped_format.hpp"

namespace dlscale::analysis {

/// Fields of a row with their texts. A TextRow is empty if the line has no row, for example if the
/// line is a heading or is empty.
using TextRow = std::vector<std::pair<std::string, std::string>>;

class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Reads the next line. Returns an error message, or an empty text on success.
  virtual std::string read(std::string_view line, TextRow& row) = 0;
  /// Sets `row` to the next row of the same line. Returns false if there are no more rows.
  virtual bool more(TextRow&) { return false; }
  /// Returns true if the headings are known.
  virtual bool is_ready() const { return true; }
  /// Returns true if the reader needs the lines between the rows to interpret the rows.
  virtual bool needs_all() const { return false; }
  /// Throws base::UsageError if the lines so far lack a mapped column.
  virtual void require_columns() const = 0;
  /// Returns the indices of the patterns that have read no line so far, and of their named groups
  /// that have matched no text so far. The groups of the first pattern count after all patterns,
  /// in the order of Regex::names(). The groups of the other patterns follow.
  virtual std::set<std::size_t> unused_patterns() const { return {}; }
  /// Returns true if the last line with an error is complete and contains something other than
  /// measurements, such as a row of another table.
  bool is_about_other() const { return is_about_other_; }

 protected:
  bool is_about_other_ = false;
};

/// Returns the reader for a format. Throws base::UsageError for invalid regular expressions and for
/// patterns without a measure.
std::unique_ptr<RowReader> make_row_reader(const MappedFormat& format);
std::unique_ptr<RowReader> make_markdown_reader(const MappedFormat& format);

/// Returns the cells of the first line of a CSV file.
std::vector<std::string> csv_headings(std::string_view line);

/// Reads a finite number with optional blanks around it.
bool read_number(std::string_view text, double& value);
/// Reads a loss with optional blanks around it. A loss that is not finite (nan, inf) becomes
/// infinity.
bool read_loss(std::string_view text, double& value);

}  // namespace dlscale::analysis
