// SPDX-License-Identifier: Apache-2.0
// Reads the values of a line by the rule of a described format.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/described/line_rule.hpp"
#include "analysis/import/reading/json_object.hpp"
#include "analysis/import/reading/log_lines.hpp"

namespace dlscale::analysis {

/// Returns whether a line is a heading of the table.
bool is_heading(const TableRule& table, std::string_view line);

/// Returns the text without the control sequences of terminals (colours).
std::string without_colours(std::string_view text);

/// Reads the values of lines. An instance belongs to one log, because a table remembers its
/// heading.
class LineValues {
 public:
  explicit LineValues(const FormatDescription& format) : format_(format) {}

  enum class Result {
    other,     ///< the line does not belong to the rule
    heading,   ///< the line is the heading of a table
    no_value,  ///< the line was selected, but it does not have the values of the rule
    values     ///< the values were read
  };
  /// Reads the line by the rule. `is_complete` states whether the line has an end.
  Result read(const LineRule& rule, std::string_view line, bool is_complete);

  /// Returns the number of the value with index `name` in LineRule::names. Returns NaN if the line
  /// has no such number, and infinity for a number that the log prints as nan or inf.
  double number(std::size_t name) const { return numbers_[name]; }
  /// Text of the value, or an empty text.
  std::string_view text(std::size_t name) const { return texts_[name]; }
  /// JSON object of the line, if the rule reads one.
  const JsonObject& object() const { return json_; }
  /// Calls `visit(heading, number)` for the numbers of LineEntry::other_columns in the row.
  template <class Visit>
  void each_other_column(const LineRule& rule, Visit visit) {
    for (const std::size_t i : columns_of(rule).others) {
      double number = 0;
      if (whole_number(cells_[i], number)) visit(headings_[i], number);
    }
  }

 private:
  void search(const LineRule& rule, std::string_view text);
  bool read_pattern(const LineRule& rule, std::string_view text);
  bool read_json(const LineRule& rule, std::string_view text);
  Result read_row(const LineRule& rule, std::string_view line, bool is_complete);
  /// Columns of the current table that a rule reads.
  struct Columns {
    bool are_of_table = false;                      ///< false if the table belongs to other rules
    std::vector<std::vector<std::size_t>> of_name;  ///< columns of each value in LineRule::names
    std::vector<std::size_t> others;                ///< columns of LineEntry::other_columns
  };
  const Columns& columns_of(const LineRule& rule);
  /// Returns false if the text is a number that is out of range.
  bool store_value(std::size_t name, std::string_view text);

  const FormatDescription& format_;
  JsonObject json_;
  std::vector<double> numbers_;
  std::vector<std::string_view> texts_;
  std::vector<std::string_view> groups_;
  std::string heading_;                ///< line with the headings
  std::vector<std::string> headings_;  ///< columns of the current table; empty: no heading yet
  std::map<const LineRule*, Columns> columns_;
  std::vector<std::string_view> cells_;  ///< cells of the current row
};

}  // namespace dlscale::analysis
