// SPDX-License-Identifier: Apache-2.0
// Tables of numbers as training programs write them: a line of names, then lines of values.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/import/reading/log_lines.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

/// Names of columns, and the numbers below them. None of these programs quotes what it writes, so
/// that base::split gives the cells of a line.
class CsvColumns {
 public:
  explicit CsvColumns(std::string_view header)
      : header_(header), names_(base::split(header_, ',')) {}
  CsvColumns(const CsvColumns&) = delete;  // the names are in the header
  CsvColumns& operator=(const CsvColumns&) = delete;

  const std::vector<std::string_view>& names() const { return names_; }
  /// Of the row's cells the one below this name; nothing for an empty one and for no number.
  std::optional<double> number(const std::vector<std::string_view>& cells,
                               std::string_view name) const {
    double value = 0;
    for (std::size_t i = 0; i < names_.size() && i < cells.size(); ++i) {
      if (names_[i] == name && whole_number(cells[i], value)) return value;
    }
    return std::nullopt;
  }

  /// Likewise a loss (TextScanner::loss); NaN where there is none.
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
