// SPDX-License-Identifier: Apache-2.0
// Lines as rows of named texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/import/mapped_format.hpp"

namespace dlscale::analysis {

/// Fields with their texts; without any the line has none (a heading, an empty line).
using TextRow = std::vector<std::pair<std::string, std::string>>;

class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Takes the next line; returns what is wrong with it, or nothing.
  virtual std::string read(std::string_view line, TextRow& row) = 0;
  /// Takes the next row of the same line; false when it has no more.
  virtual bool more(TextRow&) { return false; }
  /// Whether the headings are known.
  virtual bool is_ready() const { return true; }
  /// Whether lines between rows count as well.
  virtual bool needs_all() const { return false; }
  /// Throws base::UsageError when the lines so far lack a column.
  virtual void require_columns() const = 0;
  /// Whether the last line, with which something was wrong, is whole and not about measurements.
  bool is_about_other() const { return is_about_other_; }

 protected:
  bool is_about_other_ = false;
};

/// Throws base::UsageError for expressions that are none or name no measure.
std::unique_ptr<RowReader> make_row_reader(const MappedFormat& format);
std::unique_ptr<RowReader> make_markdown_reader(const MappedFormat& format);

/// The cells of a CSV file's first line.
std::vector<std::string> csv_headings(std::string_view line);

/// A finite number, blanks around it allowed.
bool read_number(std::string_view text, double& value);
/// Likewise a loss, which is infinite where the text says that it is not finite (nan, inf).
bool read_loss(std::string_view text, double& value);

}  // namespace dlscale::analysis
