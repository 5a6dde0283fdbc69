// SPDX-License-Identifier: Apache-2.0
// Tables for papers: booktabs, title and notes as the caption.
#include <algorithm>
#include <string_view>

#include "analysis/report/report_writer.hpp"

namespace dlscale::analysis {
namespace {

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\textbackslash{}";
        break;
      case '~':
        escaped += "\\textasciitilde{}";
        break;
      case '^':
        escaped += "\\textasciicircum{}";
        break;
      case '<':
        escaped += "\\textless{}";
        break;
      case '>':
        escaped += "\\textgreater{}";
        break;
      case '|':
        escaped += "\\textbar{}";
        break;
      case '"':
        escaped += "\\textquotedbl{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        escaped += '\\';
        escaped += c;
        break;
      case '\n':
      case '\r':
        escaped += ' ';
        break;
      case '-':
        escaped += escaped.ends_with('-') ? "{}-" : "-";
        break;  // no dashes made of hyphens
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// A caption is a paragraph: notes become sentences.
std::string caption(const Table& table) {
  std::string text = escape(table.title) + ".";
  for (const std::string& note : table.notes) {
    text += "\n    " + escape(note) + (note.ends_with('.') ? "" : ".");
  }
  return text;
}

/// A cell; square brackets at the start of a row would be read as the option of `\\`.
std::string cell_text(const Cell& cell, const Column& column) {
  if (std::holds_alternative<std::monostate>(cell)) return "--";
  const std::string text = escape(shown(cell, column, "-"));
  return text.starts_with('[') ? "{" + text + "}" : text;
}

std::string render_table(const Table& table) {
  std::string columns;
  std::string header;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    columns += is_numeric(table, i) ? 'r' : 'l';
    header += (i > 0 ? " & " : "") + escape(heading(table.columns[i]));
  }
  std::string text = "\\begin{table}\n  \\centering\n  \\caption{" + caption(table) + "}\n";
  text += "  \\label{tab:" + table.id + "}\n";
  if (table.rows.empty()) return text + "  " + kNoRows + "\n\\end{table}\n";
  text += "  \\begin{tabular}{" + columns + "}\n    \\toprule\n";
  text += "    " + header + " \\\\\n    \\midrule\n";
  for (const auto& cells : table.rows) {
    text += "    ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      text += (i > 0 ? " & " : "") + cell_text(cells[i], table.columns[i]);
    }
    text += " \\\\\n";
  }
  return text + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

std::string render(const Report& report) {
  std::string text = "% needs \\usepackage[T1]{fontenc} and \\usepackage{booktabs}\n";
  for (const Table& table : report.tables) text += "\n" + render_table(table);
  return text;
}

}  // namespace

extern const ReportWriter latex_entry;
const ReportWriter latex_entry{"latex", "a booktabs table with caption and label", "tex", &render};

}  // namespace dlscale::analysis
