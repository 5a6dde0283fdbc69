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
  /// delimiter of the header: comma, semicolon or tab
  char separator = ',';
};

/// Skips empty lines. A comment line right above a first row of numbers is the header if it has as
/// many cells. Throws base::SpecError for what base::CsvReader rejects, a row of another length
/// than the header, or no header at all.
CsvText parse_csv(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
