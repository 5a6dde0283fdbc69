// SPDX-License-Identifier: Apache-2.0
// Writes tables as GitHub Markdown, for example for READMEs and issue trackers.
#include <string_view>

#include "analysis/report/writers/report_writer.hpp"

namespace dlscale::analysis {
namespace {

bool is_special(char c) {
  switch (c) {
    case '\\':
    case '|':
    case '*':
    case '_':
    case '`':
    case '<':
    case '>':
    case '~':
      return true;
    default:
      return false;
  }
}

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (is_special(c)) escaped += '\\';
    escaped += c == '\n' || c == '\r' ? ' ' : c;
  }
  return escaped;
}

std::string render_table(const Table& table) {
  std::string text = "**" + escape(table.title) + "**\n\n";
  for (const std::string& note : table.notes) text += "- " + escape(note) + "\n";
  if (table.rows.empty()) return text + "\n" + kNoRows + "\n";
  std::string header = "|";
  std::string rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    header += " " + escape(heading(table.columns[i])) + " |";
    rule += is_numeric(table, i) ? " ---: |" : " :--- |";
  }
  text += "\n" + header + "\n" + rule + "\n";
  for (const auto& cells : table.rows) {
    text += "|";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += ' ';
      text += escape(shown(cells[i], table.columns[i], "–"));
      text += " |";
    }
    text += "\n";
  }
  return text;
}

std::string markdown_text(std::span<const Table> tables) {
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += "\n";
    text += render_table(table);
  }
  return text;
}

}  // namespace

extern const ReportWriter markdown_entry;
const ReportWriter markdown_entry{"markdown", "GitHub tables", "md", &markdown_text};

}  // namespace dlscale::analysis
