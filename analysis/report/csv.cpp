// SPDX-License-Identifier: Apache-2.0
// Tables for other programs: RFC 4180 quoting, full precision, stored units, empty cells for what
// is missing; title and notes in front as comment lines.
#include <fmt/format.h>

#include <cmath>

#include "analysis/report/csv_text.hpp"
#include "analysis/report/report_writer.hpp"

namespace dlscale::analysis {
namespace {

std::vector<std::string> header_of(const Table& table) {
  std::vector<std::string> header;
  for (const Column& column : table.columns) {
    if (column.bounds) {
      header.push_back(column.id + "_low");
      header.push_back(column.id + "_high");
    } else {
      header.push_back(column.id);
    }
  }
  return header;
}

void add_cell(std::vector<std::string>& row, const Cell& cell, const Column& column) {
  if (column.bounds) {
    const auto* bounds = std::get_if<Bounds>(&cell);
    row.push_back(bounds != nullptr ? csv_number(bounds->low) : "");
    row.push_back(bounds != nullptr ? csv_number(bounds->high) : "");
  } else if (const auto* number = std::get_if<double>(&cell)) {
    row.push_back(csv_number(*number));
  } else {
    row.push_back(shown(cell, column, ""));
  }
}

std::string render(const Report& report) {
  std::string text;
  for (const Table& table : report.tables) {
    if (!text.empty()) text += "\n";
    text += csv_comment(table.title);
    for (const std::string& note : table.notes) text += csv_comment(note);
    text += csv_line(header_of(table));
    for (const auto& cells : table.rows) {
      std::vector<std::string> row;
      for (std::size_t i = 0; i < cells.size(); ++i) add_cell(row, cells[i], table.columns[i]);
      text += csv_line(row);
    }
  }
  return text;
}

}  // namespace

extern const ReportWriter csv_entry;
const ReportWriter csv_entry{"csv", "comma-separated, full precision", "csv", &render};

}  // namespace dlscale::analysis
