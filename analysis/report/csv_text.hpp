// SPDX-License-Identifier: Apache-2.0
// How values stand in CSV files: those of tables and those beside figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// The shortest text that reads back as the same number; empty for what is no number.
std::string csv_number(double value);

/// Text that holds a comma, a quote, a line break or a leading '#' is quoted as RFC 4180 says.
std::string csv_cell(const std::string& text);

/// A line of cells with its newline.
std::string csv_line(const std::vector<std::string>& cells);

/// A comment line ("# …") that gnuplot, R and pandas (comment="#") skip.
std::string csv_comment(std::string_view text);

}  // namespace dlscale::analysis
