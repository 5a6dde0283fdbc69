// SPDX-License-Identifier: Apache-2.0
#include "base/table_printer.hpp"

#include <algorithm>

namespace dlscale::base {
namespace {

bool looks_numeric(const std::string& cell) {
  if (cell.empty() || cell == "-" || cell == "–") return true;
  const std::size_t start = cell[0] == '-' || cell[0] == '+' ? 1 : 0;
  return start < cell.size() && (cell[start] >= '0' && cell[start] <= '9');
}

std::string pad(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(cell)), ' ');
  return right ? space + cell : cell + space;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string print_table(const std::vector<std::string>& header,
                        const std::vector<std::vector<std::string>>& rows) {
  const std::size_t columns = header.size();
  std::vector<std::size_t> width(columns);
  std::vector<bool> right(columns, !rows.empty());
  for (std::size_t c = 0; c < columns; ++c) {
    width[c] = display_width(header[c]);
    for (const auto& row : rows) {
      width[c] = std::max(width[c], display_width(row.at(c)));
      right[c] = right[c] && looks_numeric(row[c]);
    }
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      if (c > 0) line += "  ";
      line += pad(cells[c], width[c], right[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  add_line(header);
  std::vector<std::string> rule;
  for (std::size_t w : width) rule.emplace_back(w, '-');
  add_line(rule);
  for (const auto& row : rows) add_line(row);
  return text;
}

}  // namespace dlscale::base
