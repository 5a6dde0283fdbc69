// SPDX-License-Identifier: Apache-2.0
// Writes tables as CSV for other programs. Cells are quoted as in RFC 4180. Numbers have full
// precision and the units of the column names, such as seconds for "step_time_s". Missing values
// are empty cells. The title and the notes are comment lines before the header row.
#include <fmt/format.h>

#include <cmath>

#include "analysis/report/csv_text.hpp"
#include "analysis/report/writers/report_writer.hpp"

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

void add_cell(std::string& text, const Cell& cell, const Column& column) {
  if (column.bounds) {
    const auto* bounds = std::get_if<Bounds>(&cell);
    if (bounds != nullptr) text += csv_number(bounds->low);
    text += ',';
    if (bounds != nullptr) text += csv_number(bounds->high);
  } else if (const auto* number = std::get_if<double>(&cell)) {
    text += csv_number(*number);
  } else if (const auto* named = std::get_if<AxesText>(&cell)) {
    text += csv_cell(named->whole);
  } else {
    text += csv_cell(shown(cell, column, ""));
  }
}

std::string csv_text(std::span<const Table> tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += "\n";
    text += csv_comment(table.title);
    for (const std::string& note : table.notes) text += csv_comment(note);
    text += csv_line(header_of(table));
    for (const auto& cells : table.rows) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) text += ',';
        add_cell(text, cells[i], table.columns[i]);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace

extern const ReportWriter csv_entry;
const ReportWriter csv_entry{"csv", "comma-separated, full precision", "csv", &csv_text};

}  // namespace dlscale::analysis
