// SPDX-License-Identifier: Apache-2.0
// Writes tables as aligned plain text for terminals.
#include <sstream>

#include "analysis/report/writers/report_writer.hpp"
#include "base/table_printer.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kNoteWidth = 98;

/// Returns a note as indented lines of at most kNoteWidth columns, broken at spaces.
std::string wrapped(const std::string& note) {
  std::string text;
  std::string line = " ";
  std::istringstream words(note);
  for (std::string word; words >> word;) {
    if (base::display_width(line) + base::display_width(word) >= kNoteWidth) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + word;
  }
  return text + line + "\n";
}

std::string render_table(const Table& table) {
  std::vector<std::string> header;
  for (const Column& column : table.columns) header.push_back(heading(column));
  std::vector<std::vector<std::string>> rows;
  for (const auto& cells : table.rows) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      row.push_back(shown(cells[i], table.columns[i], "-"));
    }
  }
  std::string text = table.title + "\n";
  for (const std::string& note : table.notes) text += wrapped(note);
  if (rows.empty()) return text + "\n" + kNoRows + "\n";
  return text + "\n" + base::print_table(header, rows);
}

std::string plain_text(std::span<const Table> tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += "\n";
    text += render_table(table);
  }
  return text;
}

}  // namespace

extern const ReportWriter text_entry;
const ReportWriter text_entry{"text", "aligned columns for terminals", "txt", &plain_text};

}  // namespace dlscale::analysis
