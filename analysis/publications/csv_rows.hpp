// SPDX-License-Identifier: Apache-2.0
// Reads CSV files with published tables: comment lines, a header, and rows of the same length.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/csv.hpp"

namespace dlscale::analysis {

struct CsvText {
  std::vector<base::CsvCell> comments;  ///< comment lines without "# "
  std::vector<base::CsvCell> header;
  std::vector<std::vector<base::CsvCell>> rows;  ///< rows of the same length as the header
  /// Delimiter between the cells of the header: comma, semicolon or tab.
  char separator = ',';
};

/// Parses the text of a CSV file. Skips empty lines. If the first row contains numbers, the last
/// comment line above it is the header, provided that it has the same number of cells. Throws
/// base::SpecError for a text that base::CsvReader rejects, for a row whose length differs from
/// that of the header, and for a text without a header.
CsvText parse_csv(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
