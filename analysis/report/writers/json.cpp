// SPDX-License-Identifier: Apache-2.0
// Writes tables as JSON. Rows are objects with unrounded values, whose keys are the column names of
// the CSV files. Missing values are null. Each column also states how its values are shown to
// readers (unit, scale and decimals).
#include <climits>
#include <cmath>
#include <limits>

#include "analysis/report/writers/report_writer.hpp"
#include "contract/json/writer.hpp"

namespace dlscale::analysis {
namespace {

using contract::codec::TextWriter;

constexpr int kVersion = 1;  // version of this JSON format

void add(TextWriter& json, const std::string& name, double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  if (whole) {
    json.member(name, static_cast<std::int64_t>(value));
  } else {
    json.member(name, value);
  }
}

void add_column(TextWriter& json, const Column& column) {
  json.open('{');
  json.member("id", column.id);
  json.member("title", column.title);
  json.member("bounds", column.bounds);
  json.key("shown");
  json.open('{');
  json.member("unit", column.unit);
  add(json, "scale", column.scale);
  json.member("decimals", column.decimals);
  json.close('}');
  json.close('}');
}

void add_cell(TextWriter& json, const Cell& cell, const Column& column) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (column.bounds) {
    const auto* bounds = std::get_if<Bounds>(&cell);
    add(json, column.id + "_low", bounds != nullptr ? bounds->low : kUnknown);
    add(json, column.id + "_high", bounds != nullptr ? bounds->high : kUnknown);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    json.member(column.id, *text);
  } else if (const auto* named = std::get_if<AxesText>(&cell)) {
    json.member(column.id, named->whole);
  } else {
    const auto* value = std::get_if<double>(&cell);
    add(json, column.id, value != nullptr ? *value : kUnknown);
  }
}

void add_table(TextWriter& json, const Table& table) {
  json.open('{');
  json.member("id", table.id);
  json.member("title", table.title);
  json.member("notes", table.notes);
  json.key("columns");
  json.open('[');
  for (const Column& column : table.columns) {
    json.element();
    add_column(json, column);
  }
  json.close(']');
  json.key("rows");
  json.open('[');
  for (const auto& cells : table.rows) {
    json.element();
    json.open('{');
    for (std::size_t i = 0; i < cells.size(); ++i) add_cell(json, cells[i], table.columns[i]);
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

std::string json_text(std::span<const Table> tables) {
  TextWriter json(contract::codec::Layout{1, INT_MAX});
  json.open('{');
  json.member("version", kVersion);
  json.key("tables");
  json.open('[');
  for (const Table& table : tables) {
    json.element();
    add_table(json, table);
  }
  json.close(']');
  json.close('}');
  json.end_line();
  return json.release_text();
}

}  // namespace

extern const ReportWriter json_entry;
const ReportWriter json_entry{"json", "rows as objects, full precision", "json", &json_text};

}  // namespace dlscale::analysis
