// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/reference_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/cells/cell_unit.hpp"
#include "analysis/publications/axes.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

std::optional<double> finite_number(std::string_view text) {
  const std::optional<double> value = base::number_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Returns half of the place value of the last printed digit: 0.005 for "0.76".
double half_place(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = mantissa.find('.');
  const auto decimals =
      point == std::string_view::npos ? 0 : static_cast<int>(mantissa.size() - point - 1);
  const double exponent =
      e == std::string_view::npos ? 0 : finite_number(text.substr(e + 1)).value_or(0);
  return 0.5 * std::pow(10.0, exponent - decimals);
}

std::optional<Printed> parse_one(std::string_view text) {
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto above = finite_number(text.substr(0, slash)),
               below = finite_number(text.substr(slash + 1));
    if (!above || !below || *below == 0) return std::nullopt;
    return Printed{*above / *below, *above / *below, *above / *below};
  }
  const auto value = finite_number(text);
  if (!value) return std::nullopt;
  const double half = half_place(text);
  return Printed{*value, *value - half, *value + half};
}

/// Units that parse_cell_unit() does not know, or does not know with all the prefixes below. Each
/// has its factor to base units and its dimension.
constexpr std::pair<std::string_view, std::pair<double, Dimension>> kUnits[] = {
    {"s", {1, {1, 0, 0}}},    {"B", {1, {0, 1, 0}}},   {"bit", {0.125, {0, 1, 0}}},
    {"FLOP", {1, {0, 0, 1}}}, {"Hz", {1, {-1, 0, 0}}}, {"1", {1, {}}},
    {"values", {1, {}}},
};

constexpr std::pair<std::string_view, double> kPrefixes[] = {
    {"Ki", 1024.0},
    {"Mi", 1024.0 * 1024},
    {"Gi", 1024.0 * 1024 * 1024},
    {"Ti", 1024.0 * 1024 * 1024 * 1024},
    {"u", 1e-6},
    {"m", 1e-3},
    {"k", 1e3},
    {"M", 1e6},
    {"G", 1e9},
    {"T", 1e12},
};

std::optional<Unit> parse_simple_unit(std::string_view text) {
  if (const auto cell = parse_cell_unit(text)) return unit_of(*cell);
  for (const auto& [name, unit] : kUnits) {
    if (name == text) return Unit{unit.first, unit.second, {}};
    for (const auto& [prefix, factor] : kPrefixes) {
      const bool takes_prefix = unit.second != Dimension{};
      if (takes_prefix && text.starts_with(prefix) && name == text.substr(prefix.size())) {
        return Unit{unit.first * factor, unit.second, {}};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Unit unit_of(const CellUnit& cell) {
  Unit unit{cell.factor, {}, cell};
  if (cell.kind == UnitKind::time) unit.dimension = {1, 0, 0};
  if (cell.kind == UnitKind::rate) unit.dimension = {-1, 0, 0};
  if (cell.kind == UnitKind::bytes) unit.dimension = {0, 1, 0};
  return unit;
}

std::optional<Unit> parse_unit(std::string_view text) {
  if (auto unit = parse_simple_unit(text)) return unit;
  constexpr std::string_view kPer = " per ";
  const std::size_t per = text.find(kPer), slash = std::min(text.find('/'), per);
  if (slash == std::string_view::npos) return std::nullopt;
  const auto above = parse_simple_unit(text.substr(0, slash));
  const auto below = parse_simple_unit(text.substr(slash + (slash == per ? kPer.size() : 1)));
  if (!above || !below) return std::nullopt;
  Unit unit{above->factor / below->factor, above->dimension, {}};
  for (std::size_t i = 0; i < unit.dimension.size(); ++i) {
    unit.dimension[i] -= below->dimension[i];
  }
  return unit;
}

std::optional<Printed> parse_printed(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return parse_one(text);
  const auto low = parse_one(text.substr(0, dots)), high = parse_one(text.substr(dots + 2));
  if (!low || !high || low->value > high->value) return std::nullopt;
  return Printed{(low->value + high->value) / 2, low->low, high->high};
}

int significant_digits(std::string_view text) {
  int digits = 0;
  for (const char c : text.substr(0, text.find_first_of("eE"))) {
    if (c >= '0' && c <= '9' && (digits > 0 || c != '0')) ++digits;
  }
  return digits;
}

Printed ratio(const Printed& to, const Printed& from) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return {to.value / from.value, to.low / from.high,
          from.low > 0 ? to.high / from.low : kUnbounded};
}

bool overlap(const Printed& a, const Printed& b) {
  const double slack = 1e-9 * std::max(std::abs(a.value), std::abs(b.value));
  return a.low <= b.high + slack && b.low <= a.high + slack;
}

namespace {

/// Returns the factor that converts the number in a cell to base units. Sets `problem` if the unit
/// of the cell does not fit the unit of the column.
double factor_of(const NumberCell& cell, const Unit& column, std::string& problem) {
  if (cell.unit.empty()) return column.factor;
  const auto own = parse_cell_unit(cell.unit);
  const bool is_multiple = own && own->kind == UnitKind::count && own->thing.empty();
  if (is_multiple) return own->factor * column.factor;
  const bool is_same = own && unit_of(*own).dimension == column.dimension &&
                       own->per_gpu == (column.cell && column.cell->per_gpu);
  if (!is_same) {
    problem = fmt::format("has the unit \"{}\", which does not fit its column", cell.unit);
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
  if (cell.is_ambiguous)
    printed.problem +=
        "; write the decimal mark above the header, for example \"# decimal: comma\"";
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
