// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/latex_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace dlscale::analysis {
namespace {

constexpr const char* kMissing = "";

/// Letters, digits, dots and single hyphens: characters that no package of LaTeX makes active.
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

/// How many cells of a row say which it is.
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
  std::string name;
  for (std::size_t i = 0; i < naming; ++i) {
    const std::string text = value_slug(shown(cells[i], table.columns[i], "none"));
    const bool is_count = std::holds_alternative<double>(cells[i]);
    name += "/" + (is_count ? value_slug(table.columns[i].id) + "-" + text : text);
  }
  return name;
}

void add_cell(std::vector<LatexValue>& values, const std::string& name, const Cell& cell,
              const Column& column) {
  const std::string key = name + "/" + value_slug(column.id);
  if (const auto* number = std::get_if<double>(&cell)) {
    const std::string text = shown(*number, column, kMissing);
    if (!text.empty()) values.push_back({key, text});
  } else if (const auto* bounds = std::get_if<Bounds>(&cell)) {
    const std::string low = shown(bounds->low, column, kMissing);
    const std::string high = shown(bounds->high, column, kMissing);
    if (!low.empty()) values.push_back({key + "-low", low});
    if (!high.empty()) values.push_back({key + "-high", high});
  }
}

void add_table_values(std::vector<LatexValue>& values, const Table& table, std::size_t most) {
  const std::size_t naming = naming_cells(table);
  std::map<std::string, int> seen;
  for (const auto& cells : table.rows) {
    if (values.size() >= most) return;
    std::string name = value_slug(table.id) + row_name(table, cells, naming);
    if (const int before = seen[name]++; before > 0) name += fmt::format("/{}", before + 1);
    for (std::size_t i = naming; i < cells.size(); ++i) {
      add_cell(values, name, cells[i], table.columns[i]);
    }
  }
}

/// Defined once, whichever study's file comes first.
constexpr const char* kMacros =
    R"tex(\providecommand\dlsvaldef[3]{\expandafter\gdef\csname dlsval@#1@#2\endcsname{#3}}%
\providecommand\dlsval[2]{\ifcsname dlsval@#1@#2\endcsname\csname dlsval@#1@#2\endcsname
  \else\dlsvalWithoutSuchAValue\fi}%
)tex";

}  // namespace

std::vector<LatexValue> latex_values(const Report& report, std::size_t most) {
  std::vector<LatexValue> values;
  for (const Table& table : report.tables) add_table_values(values, table, most);
  values.resize(std::min(values.size(), most));
  return values;
}

std::string latex_study(const std::string& title) {
  const std::string name = value_slug(title);
  return name.empty() ? "study" : name;
}

std::string latex_values_file(const StudyPage& page) {
  const std::string study = latex_study(page.title);
  std::string text =
      "% Numbers of the tables beside, rounded as these show them, for a paper's text:\n"
      "%   \\input{values} in its preamble, then \\dlsval{" +
      study + "}{table/row/column}\n" + kMacros;
  for (const LatexValue& value : latex_values(page.report)) {
    text += fmt::format("\\dlsvaldef{{{}}}{{{}}}{{{}}}%\n", study, value.key, value.text);
  }
  return text;
}

}  // namespace dlscale::analysis
