// SPDX-License-Identifier: Apache-2.0
// Reads tables of numbers that training programs write: a line of names, followed by lines of
// values.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

/// Column names of a table and access to the numbers below them. None of the supported programs
/// quotes its cells, so base::split returns the cells of a line.
class CsvColumns {
 public:
  explicit CsvColumns(std::string_view header)
      : header_(header), names_(base::split(header_, ',')) {}
  CsvColumns(const CsvColumns&) = delete;  // the names are views of header_
  CsvColumns& operator=(const CsvColumns&) = delete;

  const std::vector<std::string_view>& names() const { return names_; }
  /// Returns the number in the row's cell below `name`, or nothing if the cell is empty or does not
  /// contain a number.
  std::optional<double> number(const std::vector<std::string_view>& cells,
                               std::string_view name) const {
    double value = 0;
    for (std::size_t i = 0; i < names_.size() && i < cells.size(); ++i) {
      if (names_[i] == name && whole_number(cells[i], value)) return value;
    }
    return std::nullopt;
  }

  /// Returns the loss below `name` (see TextScanner::loss), or NaN if there is none.
  double loss(const std::vector<std::string_view>& cells, std::string_view name) const {
    double value = 0;
    for (std::size_t i = 0; i < names_.size() && i < cells.size(); ++i) {
      if (names_[i] == name && whole_loss(cells[i], value)) return value;
    }
    return std::nan("");
  }

 private:
  std::string header_;
  std::vector<std::string_view> names_;
};

}  // namespace dlscale::analysis
