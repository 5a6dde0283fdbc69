// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/printed_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/publications/axis_cell.hpp"

namespace dlscale::analysis {
namespace {

/// The factor to base units, or why the cell's unit is none of the column.
double factor_of(const NumberCell& cell, const Unit& column, std::string& problem) {
  if (cell.unit.empty()) return column.factor;
  const auto own = parse_cell_unit(cell.unit);
  const bool is_multiple = own && own->kind == UnitKind::count && own->thing.empty();
  if (is_multiple) return own->factor * column.factor;
  const bool is_same = own && unit_of(*own).dimension == column.dimension &&
                       own->per_gpu == (column.cell && column.cell->per_gpu);
  if (!is_same) {
    problem = fmt::format("has the unit \"{}\", which is none of its column", cell.unit);
    return 1;
  }
  return own->factor;
}

}  // namespace

PrintedCell read_printed_cell(std::string_view text, const std::string& unit, DecimalMark mark) {
  PrintedCell printed;
  printed.text = text;
  const auto column = parse_unit(unit.empty() ? "1" : unit);
  const bool may_be_group = mark == DecimalMark::comma || mark == DecimalMark::open;
  const bool is_plain =
      !may_be_group || text.find('.') == text.npos || text.find("..") != text.npos;
  if (const auto plain = is_plain ? parse_printed(text) : std::nullopt) {
    printed.number = column ? scaled(*plain, column->factor) : *plain;
    return printed;
  }
  const NumberCell cell = read_number_cell(text, mark);
  printed.problem = cell.problem;
  if (cell.is_ambiguous) printed.problem += ": state it above the header, \"# decimal: comma\"";
  const double factor = factor_of(cell, column.value_or(Unit{}), printed.problem);
  if (!printed.problem.empty()) return printed;
  const double half = cell.half_place;
  printed.number = scaled({cell.value, cell.value - half, cell.value + half}, factor);
  printed.relation = cell.relation;
  if (cell.relation != "=") {
    printed.text = text.substr(std::min(text.find_first_of("0123456789.-+"), text.size()));
  }
  return printed;
}

bool is_failure_word(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords{"oom",      "outofmemory", "error",   "failed",
                                                    "fail",     "crash",       "crashed", "timeout",
                                                    "timedout", "notrun"};
  return std::find(kWords.begin(), kWords.end(), comparable(text)) != kWords.end();
}

}  // namespace dlscale::analysis
