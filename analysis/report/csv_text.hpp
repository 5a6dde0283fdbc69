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

/// Returns the text of a cell. A text that contains a comma, a quote, a line break or a leading '#'
/// is quoted as in RFC 4180.
std::string csv_cell(const std::string& text);

/// Returns a line of cells with its newline.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns a comment line ("# …") that gnuplot, R and pandas (comment="#") skip.
std::string csv_comment(std::string_view text);

}  // namespace dlscale::analysis
