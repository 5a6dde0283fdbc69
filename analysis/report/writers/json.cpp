// SPDX-License-Identifier: Apache-2.0
// Tables for programs that want names rather than columns: raw values under the names that CSV has,
// null for what is missing, and how people are shown each column.
#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

#include "analysis/report/writers/report_writer.hpp"

namespace dlscale::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;  // of this format

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json column_json(const Column& column) {
  Json json;
  json["id"] = column.id;
  json["title"] = column.title;
  json["bounds"] = column.bounds;
  json["shown"] = {
      {"unit", column.unit}, {"scale", number(column.scale)}, {"decimals", column.decimals}};
  return json;
}

/// Names of a table's columns are different ones: nothing is looked up, as [] would.
using Members = Json::object_t::Container;

void add(Members& row, const std::string& name, Json value) {
  row.emplace_back(name, std::move(value));
}

void add_cell(Members& row, const Cell& cell, const Column& column) {
  if (column.bounds) {
    const auto* bounds = std::get_if<Bounds>(&cell);
    add(row, column.id + "_low", bounds != nullptr ? number(bounds->low) : nullptr);
    add(row, column.id + "_high", bounds != nullptr ? number(bounds->high) : nullptr);
  } else if (const auto* value = std::get_if<double>(&cell)) {
    add(row, column.id, number(*value));
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    add(row, column.id, *text);
  } else {
    add(row, column.id, nullptr);
  }
}

Json table_json(const Table& table) {
  Json json;
  json["id"] = table.id;
  json["title"] = table.title;
  json["notes"] = table.notes;
  json["columns"] = Json::array();
  for (const Column& column : table.columns) json["columns"].push_back(column_json(column));
  json["rows"] = Json::array();
  for (const auto& cells : table.rows) {
    Json row = Json::object();
    Members& members = row.get_ref<Json::object_t&>();
    members.reserve(2 * cells.size());  // bounds are two
    for (std::size_t i = 0; i < cells.size(); ++i) add_cell(members, cells[i], table.columns[i]);
    json["rows"].push_back(std::move(row));
  }
  return json;
}

std::string text_of(std::span<const Table> tables) {
  Json json;
  json["version"] = kVersion;
  json["tables"] = Json::array();
  for (const Table& table : tables) json["tables"].push_back(table_json(table));
  // What is no UTF-8 becomes the replacement character: the text is always JSON.
  std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  text += '\n';
  return text;
}

}  // namespace

extern const ReportWriter json_entry;
const ReportWriter json_entry{"json", "rows as objects, full precision", "json", &text_of};

}  // namespace dlscale::analysis
