// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/latex_values.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <unordered_map>
#include <vector>

namespace dlscale::analysis {
namespace {

constexpr const char* kMissing = "";

/// Returns the letters, digits and dots of the text. A single hyphen replaces each group of other
/// characters. Keys contain only these characters, because no LaTeX package gives them a special
/// meaning.
std::string value_slug(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (kept) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-')) result.pop_back();
  return result;
}

/// Returns the number of cells at the start of each row that form the name of the row.
std::size_t naming_cells(const Table& table) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& id = table.columns[i].id;
    if (id == "gpus" || id == "budget_gpus" || id == "size_bytes") count = i + 1;
  }
  if (count > 0) return count;
  while (count < table.columns.size() && !is_numeric(table, count)) ++count;
  return count;
}

std::string row_name(const Table& table, const std::vector<Cell>& cells, std::size_t naming) {
  std::string name = value_slug(table.id);
  for (std::size_t i = 0; i < naming; ++i) {
    const std::string text = value_slug(shown(cells[i], table.columns[i], "none"));
    const bool is_count = std::holds_alternative<double>(cells[i]);
    name += "/" + (is_count ? value_slug(table.columns[i].id) + "-" + text : text);
  }
  return name;
}

/// Calls `visit` with the key and the text of each number in a cell. Bounds have two numbers.
template <class Visit>
void each_value(const std::string& key, const Cell& cell, const Column& column, Visit visit) {
  if (const auto* number = std::get_if<double>(&cell)) {
    const std::string text = shown(*number, column, kMissing);
    if (!text.empty()) visit(key, text);
  } else if (const auto* bounds = std::get_if<Bounds>(&cell)) {
    const std::string low = shown(bounds->low, column, kMissing);
    const std::string high = shown(bounds->high, column, kMissing);
    if (!low.empty()) visit(key + "-low", low);
    if (!high.empty()) visit(key + "-high", high);
  }
}

/// Calls `visit` with the key and the text of each number in a table. Stops before the first row
/// for which `more` returns false.
template <class More, class Visit>
void each_value(const Table& table, More more, Visit visit) {
  const std::size_t naming = naming_cells(table);
  std::vector<std::string> slugs;  // name of each column in a key
  for (const Column& column : table.columns) slugs.push_back("/" + value_slug(column.id));
  std::unordered_map<std::string, int> seen;
  for (const auto& cells : table.rows) {
    if (!more()) return;
    std::string name = row_name(table, cells, naming);
    if (const int before = seen[name]++; before > 0) name += fmt::format("/{}", before + 1);
    for (std::size_t i = naming; i < cells.size(); ++i) {
      each_value(name + slugs[i], cells[i], table.columns[i], visit);
    }
  }
}

/// Definitions of the macros. LaTeX uses only the first definition if a paper inputs the files of
/// several studies.
constexpr const char* kMacros =
    R"tex(\providecommand\dlsvaldef[3]{\expandafter\gdef\csname dlsval@#1@#2\endcsname{#3}}%
\providecommand\dlsval[2]{\ifcsname dlsval@#1@#2\endcsname\csname dlsval@#1@#2\endcsname
  \else\dlsvalWithoutSuchAValue\fi}%
)tex";

}  // namespace

std::vector<LatexValue> latex_values(const Report& report, std::size_t most) {
  std::vector<LatexValue> values;
  const auto more = [&] { return values.size() < most; };
  const auto add = [&](const std::string& key, const std::string& text) {
    if (more()) values.push_back({key, text});
  };
  for (const Table& table : report.tables) each_value(table, more, add);
  return values;
}

std::string latex_study(const std::string& title) {
  const std::string name = value_slug(title);
  return name.empty() ? "study" : name;
}

std::string latex_values_file(const StudyPage& page) {
  const std::string study = latex_study(page.title);
  std::string text =
      "% Numbers of the tables in this report, rounded as in the tables, for the text of a paper:\n"
      "%   write \\input{values} in the preamble, then \\dlsval{" +
      study + "}{table/row/column}\n" + kMacros;
  const auto define = [&](const std::string& key, const std::string& value) {
    text += "\\dlsvaldef{";
    text += study;
    text += "}{";
    text += key;
    text += "}{";
    text += value;
    text += "}%\n";
  };
  for (const Table& table : page.report.tables) {
    each_value(
        table, [] { return true; }, define);
  }
  return text;
}

}  // namespace dlscale::analysis
