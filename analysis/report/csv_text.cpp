// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/csv_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos && !text.starts_with('#')) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    line += csv_cell(cells[i]);
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
