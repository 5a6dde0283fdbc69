// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dlscale::analysis {
namespace {

std::string rounded(double value, const Column& column, const std::string& missing) {
  if (!std::isfinite(value)) return missing;
  if (column.p_value) {
    const double least = std::pow(10, -column.decimals);
    if (value * column.scale < least) return fmt::format("<{:.{}f}", least, column.decimals);
  }
  return fmt::format("{:.{}f}", value * column.scale, column.decimals);
}

}  // namespace

std::string heading(const Column& column) {
  return column.unit.empty() ? column.title : fmt::format("{} ({})", column.title, column.unit);
}

bool is_numeric(const Table& table, std::size_t column) {
  return std::none_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    const Cell& cell = row.at(column);
    return std::holds_alternative<std::string>(cell) || std::holds_alternative<AxesText>(cell);
  });
}

std::string shown(const Cell& cell, const Column& column, const std::string& missing) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* text = std::get_if<AxesText>(&cell)) return text->shown;
  if (const auto* number = std::get_if<double>(&cell)) return rounded(*number, column, missing);
  if (const auto* bounds = std::get_if<Bounds>(&cell)) {
    return fmt::format("[{}, {}]", rounded(bounds->low, column, missing),
                       rounded(bounds->high, column, missing));
  }
  return missing;
}

}  // namespace dlscale::analysis
