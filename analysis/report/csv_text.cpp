// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string& cell = cells[i];
    if (i > 0) line += ',';
    if (cell.find_first_of(",\"\n\r") == std::string::npos && !cell.starts_with('#')) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string csv_comment(std::string_view text) {
  std::string line = "# " + std::string(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line + "\n";
}

}  // namespace dlscale::analysis
