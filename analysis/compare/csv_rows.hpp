// SPDX-License-Identifier: Apache-2.0
// CSV as people write it: rows of cells that know where they stand, and the comment lines before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::analysis {

struct CsvCell {
  std::string text;
  base::Location place;
};

struct CsvText {
  std::vector<CsvCell> comments;  ///< without "# "
  std::vector<CsvCell> header;
  std::vector<std::vector<CsvCell>> rows;  ///< each as long as the header
  char separator = ',';                    ///< comma, semicolon or tab, as in the header
};

/// RFC 4180, LF or CRLF; empty lines are skipped. A comment line right above a first row of numbers
/// is the header if it has as many cells. Throws base::SpecError for an open quote, text
/// behind a closing one, a row of another length than the header, or no header at all.
CsvText parse_csv(std::string_view text, const std::string& file);

}  // namespace dlscale::analysis
