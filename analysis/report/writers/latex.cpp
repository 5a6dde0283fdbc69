// SPDX-License-Identifier: Apache-2.0
// Writes tables as LaTeX for papers. Rules come from the package booktabs. Columns of the package
// siunitx align numbers at their decimal points. The caption explains how to read the numbers, and
// the other notes are below the table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "analysis/report/latex_text.hpp"
#include "analysis/report/writers/report_writer.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of rows that fit on a page. A table with more rows is split into several LaTeX
/// tables with the same table number.
constexpr std::size_t kMostRowsOfPage = 40;

/// Returns a unit as a \unit command of siunitx, or as plain text if siunitx has no macro for the
/// unit.
std::string unit_text(const std::string& unit) {
  static const std::map<std::string, std::string> kUnits{
      {"s", "\\second"},  {"ms", "\\milli\\second"},    {"us", "\\micro\\second"}, {"h", "\\hour"},
      {"%", "\\percent"}, {"GB", "\\giga\\byte"},       {"MB", "\\mega\\byte"},    {"J", "\\joule"},
      {"W", "\\watt"},    {"kWh", "\\kilo\\watt\\hour"}};
  const auto found = kUnits.find(unit);
  return found == kUnits.end() ? latex_text(unit) : "\\unit{" + found->second + "}";
}

std::string header_text(const Column& column) {
  const std::string unit = column.unit.empty() ? "" : " / " + unit_text(column.unit);
  return latex_text(column.title) + unit;
}

/// Number of digits before and after the decimal point that a column needs, as the column type of
/// siunitx.
class NumberFormat {
 public:
  void add(std::string_view number) {
    // The sign "<" needs no room in the column's format, because siunitx prints it next to the
    // number.
    if (number.starts_with('<')) number.remove_prefix(1);
    const bool negative = number.starts_with('-');
    const std::size_t point = std::min(number.find('.'), number.size());
    sign_ |= negative;
    whole_ = std::max(whole_, point - (negative ? 1 : 0));
    fraction_ = std::max(fraction_, number.size() - std::min(point + 1, number.size()));
  }
  std::string text() const {
    return fmt::format("S[table-format={}{}{}]", sign_ ? "-" : "", whole_,
                       fraction_ > 0 ? fmt::format(".{}", fraction_) : "");
  }

 private:
  bool sign_ = false;
  std::size_t whole_ = 1;
  std::size_t fraction_ = 0;
};

constexpr const char* kMissing = "{--}";

std::string number_text(double value, const Column& column) {
  return shown(Cell(value), column, kMissing);
}

/// Returns the LaTeX texts of a cell: two texts for bounds (low and high end), and one text for
/// other cells.
std::vector<std::string> cell_texts(const Cell& cell, const Column& column) {
  if (column.bounds) {
    const auto* bounds = std::get_if<Bounds>(&cell);
    if (bounds == nullptr) return {kMissing, kMissing};
    return {number_text(bounds->low, column), number_text(bounds->high, column)};
  }
  if (const auto* value = std::get_if<double>(&cell)) return {number_text(*value, column)};
  if (std::holds_alternative<std::monostate>(cell)) return {kMissing};
  const std::string text = latex_text(shown(cell, column, ""));
  // At the start of a row, LaTeX would read "[" or "*" as an argument of the `\\` that ends the row
  // before it. Braces prevent this.
  return {text.starts_with('[') || text.starts_with('*') ? "{" + text + "}" : text};
}

/// Column types, heading lines and row lines of a table in LaTeX.
struct Body {
  std::string columns;
  std::string heads;
  std::vector<std::string> rows;
};

/// Returns the LaTeX column types of the table. A column of bounds becomes two LaTeX columns.
std::string column_types(const Table& table, const std::vector<NumberFormat>& formats) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool numeric = is_numeric(table, i);
    for (int part = table.columns[i].bounds ? 2 : 1; part > 0; --part) {
      types.push_back(numeric ? formats[types.size()].text() : std::string("l"));
    }
  }
  return fmt::format("{}", fmt::join(types, " "));
}

/// Returns the LaTeX line of a row. Also adds the row's numbers to `formats`, which has one entry
/// for each LaTeX column and determines the widths of the columns.
std::string row_of(const Table& table, const std::vector<Cell>& cells, const std::string& indent,
                   std::vector<NumberFormat>& formats) {
  std::string line = indent;
  std::size_t column = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (const std::string& text : cell_texts(cells[i], table.columns[i])) {
      if (text != kMissing) formats[column].add(text);
      if (column++ > 0) line += " & ";
      line += text;
    }
  }
  line += " \\\\\n";
  return line;
}

/// Returns the line of column headings. If the table has bounds, a second line contains the
/// headings "low" and "high" below the headings of bounds.
std::string heads_of(const Table& table, const std::string& indent) {
  std::vector<std::string> first;
  std::vector<std::string> second;
  std::string rules;
  std::size_t column = 1;
  for (const Column& one : table.columns) {
    if (one.bounds) {
      first.push_back(fmt::format("\\multicolumn{{2}}{{c}}{{{}}}", header_text(one)));
      second.insert(second.end(), {"{low}", "{high}"});
      rules += fmt::format("{}\\cmidrule(lr){{{}-{}}}\n", indent, column, column + 1);
    } else {
      first.push_back("{" + header_text(one) + "}");
      second.emplace_back();
    }
    column += one.bounds ? 2 : 1;
  }
  std::string text = fmt::format("{}{} \\\\\n", indent, fmt::join(first, " & "));
  if (rules.empty()) return text;
  return text + rules + fmt::format("{}{} \\\\\n", indent, fmt::join(second, " & "));
}

Body body_of(const Table& table, const std::string& indent) {
  Body body;
  std::vector<NumberFormat> formats(2 * table.columns.size());
  for (const auto& cells : table.rows) {
    body.rows.push_back(row_of(table, cells, indent, formats));
  }
  body.columns = column_types(table, formats);
  body.heads = heads_of(table, indent);
  return body;
}

std::string sentence(const std::string& note) {
  return latex_text(note) + (note.ends_with('.') ? "" : ".");
}

std::string caption(const Table& table) {
  std::string text = latex_text(table.title);
  for (std::size_t i = 0; i < std::min(table.notes_in_caption, table.notes.size()); ++i) {
    text += ";\n        " + latex_text(table.notes[i]);
  }
  return "\\caption{" + text + ".}\n      \\label{tab:" + table.id + "}\n";
}

/// Returns the caption of the second and later parts of a split table. These parts keep the table
/// number of the first part.
std::string caption_of_rest(const Table& table) {
  return "\\addtocounter{table}{-1}\n      \\caption{" + sentence(table.title + ", continued") +
         "}\n";
}

std::string notes_below(const Table& table) {
  if (table.notes.size() <= table.notes_in_caption) return "";
  std::string text = "      \\begin{tablenotes}[flushleft]\\footnotesize\n";
  for (std::size_t i = table.notes_in_caption; i < table.notes.size(); ++i) {
    text += "        \\item " + sentence(table.notes[i]) + "\n";
  }
  return text + "      \\end{tablenotes}\n";
}

/// Returns a LaTeX table with at most kMostRowsOfPage rows, starting with row `first`.
std::string part_of_table(const Table& table, const Body& body, std::size_t first) {
  const std::size_t end = std::min(first + kMostRowsOfPage, body.rows.size());
  std::string text = "\\begin{table}\n  \\centering\n";
  text += "  \\begin{adjustbox}{max width=\\linewidth}\n    \\begin{threeparttable}\n      ";
  text += first == 0 ? caption(table) : caption_of_rest(table);
  text += "      \\begin{tabular}{" + body.columns + "}\n        \\toprule\n" + body.heads +
          "        \\midrule\n";
  for (std::size_t i = first; i < end; ++i) text += body.rows[i];
  text += "        \\bottomrule\n      \\end{tabular}\n";
  if (end == body.rows.size()) text += notes_below(table);
  return text + "    \\end{threeparttable}\n  \\end{adjustbox}\n\\end{table}\n";
}

std::string render_table(const Table& table) {
  if (table.rows.empty()) {
    return "\\begin{table}\n  \\centering\n  " + caption(table) + "  " + kNoRows +
           "\n\\end{table}\n";
  }
  const Body body = body_of(table, "        ");
  std::string text;
  for (std::size_t i = 0; i < body.rows.size(); i += kMostRowsOfPage) {
    text += part_of_table(table, body, i);
  }
  return text;
}

std::string latex_text(std::span<const Table> tables) {
  std::string text = "% needs the packages booktabs, threeparttable, adjustbox, siunitx 3\n";
  for (const Table& table : tables) text += "\n" + render_table(table);
  return text;
}

}  // namespace

extern const ReportWriter latex_entry;
const ReportWriter latex_entry{"latex", "booktabs and siunitx, with caption, label and notes",
                               "tex", &latex_text};

}  // namespace dlscale::analysis
