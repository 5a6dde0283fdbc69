// SPDX-License-Identifier: Apache-2.0
// Formats values for the CSV files of tables and figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// Returns the shortest text that reads back as the same number. Returns an empty text for NaN and
/// infinity.
std::string csv_number(double value);

/// Returns a cell of a CSV file with this text. A text that contains a comma, a quote or a line
/// break, or begins with '#', is quoted as in RFC 4180.
std::string csv_cell(const std::string& text);

/// Returns a CSV line with these cells and a newline at its end.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns a comment line ("# …") that gnuplot, R and pandas (comment="#") skip.
std::string csv_comment(std::string_view text);

}  // namespace dlscale::analysis
