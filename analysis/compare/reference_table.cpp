// SPDX-License-Identifier: Apache-2.0
// A table's rows as published values: measured columns ("epoch_time [s]") and stated ones.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/compare/axis_cell.hpp"
#include "analysis/compare/csv_rows.hpp"
#include "analysis/compare/reference_study.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

const std::vector<std::string> kHeadKeys{"source", "where", "kind", "note"};
const std::vector<std::string> kRelations{
    "=", "~", "<", "<=", ">", ">=", "rises", "falls", "best", "gain", "times"};
/// Columns of stated values; every other one without a unit is an axis.
const std::vector<std::string> kStated{"quantity", "relation",  "value", "unit",
                                       "along",    "from",      "to",    "cause",
                                       "where",    "statement", "kind"};

[[noreturn]] void fail(const CsvCell& cell, const std::string& message) {
  throw base::SpecError(cell.place, "", message);
}

bool is_one_of(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Column {
  std::string name;
  std::string statistic;
  std::string unit;  ///< of a measured column
  bool measured = false;
};

Column read_column(const CsvCell& cell) {
  Column column{cell.text, "", "", false};
  if (cell.text.empty()) fail(cell, "a column without a name");
  const std::size_t bracket = cell.text.find(" [");
  if (bracket == std::string::npos) return column;
  if (!cell.text.ends_with(']')) fail(cell, fmt::format("\"{}\": ] is missing", cell.text));
  column.measured = true;
  column.name = cell.text.substr(0, bracket);
  column.unit = cell.text.substr(bracket + 2, cell.text.size() - bracket - 3);
  if (!parse_unit(column.unit)) fail(cell, fmt::format("unknown unit \"{}\"", column.unit));
  return column;
}

/// "throughput@median": the quantity and the way it was computed.
void set_quantity(Published& value, const std::string& name) {
  const std::size_t at = name.find('@');
  value.quantity = name.substr(0, at);
  value.statistic = at == std::string::npos ? "" : name.substr(at + 1);
}

void set_number(Published& value, const CsvCell& cell, const std::string& unit) {
  value.text = cell.text;
  value.unit = unit;
  value.number = parse_printed(cell.text);
  const auto known = parse_unit(unit.empty() ? "1" : unit);
  if (!value.number || !known) return;
  value.number->value *= known->factor;
  value.number->low *= known->factor;
  value.number->high *= known->factor;
}

char read_kind(const CsvCell& cell, const std::string& text) {
  if (text == "R" || text == "D" || text == "C") return text[0];
  fail(cell, fmt::format("kind is R (printed), D (recomputed from raw data) or C (computed from "
                         "printed values), not \"{}\"",
                         text));
}

class TableReader {
 public:
  TableReader(const CsvText& csv, const std::string& file) : csv_(csv) {
    table_.file = file;
    read_head();
    for (const CsvCell& cell : csv.header) columns_.push_back(read_column(cell));
    require_columns();
  }

  ReferenceTable read() {
    for (const auto& row : csv_.rows) read_row(row);
    return std::move(table_);
  }

 private:
  void read_head() {
    for (const CsvCell& line : csv_.comments) {
      const std::size_t colon = line.text.find(": ");
      if (colon == std::string::npos || line.text.starts_with("SPDX")) continue;
      const std::string key = line.text.substr(0, colon), value = line.text.substr(colon + 2);
      if (!is_one_of(kHeadKeys, key)) fail(line, base::unknown_name("head", key, kHeadKeys));
      if (key == "source") table_.source = value;
      if (key == "where") where_ = value;
      if (key == "kind") table_.kind = read_kind(line, value);
      has_kind_ = has_kind_ || key == "kind";
    }
    if (table_.source.empty()) fail(csv_.header[0], "no \"# source: …\" line above the header");
    if (!has_kind_) fail(csv_.header[0], "no \"# kind: R\" (or D, C) line above the header");
  }

  void require_columns() const {
    bool says_something = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      says_something = says_something || columns_[i].measured || columns_[i].name == "quantity";
      for (std::size_t j = 0; j < i; ++j) {
        if (csv_.header[j].text == csv_.header[i].text) {
          fail(csv_.header[i],
               fmt::format("column \"{}\" stands there twice", csv_.header[i].text));
        }
      }
    }
    if (!says_something) {
      fail(csv_.header[0], "neither a column \"quantity\" nor one with a unit, as \"time [s]\"");
    }
  }

  void read_row(const std::vector<CsvCell>& row) {
    Published common;
    common.kind = table_.kind;
    common.where = where_;
    const CsvCell* stated = nullptr;
    const CsvCell* value = nullptr;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].measured || row[i].text.empty()) continue;
      if (columns_[i].name == "quantity") stated = &row[i];
      if (columns_[i].name == "value") value = &row[i];
      set_word(common, columns_[i].name, row[i]);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].measured && !row[i].text.empty()) add_measured(common, columns_[i], row[i]);
    }
    if (stated != nullptr) add_stated(common, *stated, value);
  }

  void set_word(Published& value, const std::string& column, const CsvCell& cell) {
    const std::string& text = cell.text;
    if (column == "relation") {
      if (!is_one_of(kRelations, text))
        fail(cell, base::unknown_name("relation", text, kRelations));
      value.relation = text;
    } else if (column == "kind") {
      value.kind = read_kind(cell, text);
    } else if (column == "unit") {
      if (!parse_unit(text)) fail(cell, fmt::format("unknown unit \"{}\"", text));
      value.unit = text;
    } else if (column == "along") {
      value.along = text;
    } else if (column == "from") {
      value.from = text;
    } else if (column == "to") {
      value.to = text;
    } else if (column == "cause") {
      value.cause = text;
    } else if (column == "where") {
      value.where = text;
    } else if (column == "statement") {
      value.statement = text;
    } else if (!is_one_of(kStated, column)) {
      value.axes[column] = text;
    }
  }

  void add_measured(const Published& common, const Column& column, const CsvCell& cell) {
    Published value = common;
    value.relation = "=";
    value.along = value.from = value.to = value.cause = value.statement = "";
    set_quantity(value, column.name);
    set_number(value, cell, column.unit);
    if (!value.number) fail(cell, fmt::format("\"{}\" is no number", cell.text));
    value.place = cell.place;
    table_.values.push_back(std::move(value));
  }

  void add_stated(const Published& common, const CsvCell& quantity, const CsvCell* cell) {
    Published value = common;
    set_quantity(value, quantity.text);
    value.place = quantity.place;
    const bool trend = value.relation == "rises" || value.relation == "falls";
    const bool claim = trend || value.relation == "best";
    if (claim && value.along.empty()) {
      fail(quantity, fmt::format("\"{}\" needs a column \"along\"", value.relation));
    }
    if (!claim && cell == nullptr) fail(quantity, "a quantity without a value");
    if (cell != nullptr) {
      set_number(value, *cell, common.unit);
      const bool needs_number = value.relation != "=" || !value.unit.empty();
      if (needs_number && !value.number)
        fail(*cell, fmt::format("\"{}\" is no number", cell->text));
    }
    table_.values.push_back(std::move(value));
  }

  const CsvText& csv_;
  ReferenceTable table_;
  std::string where_;
  bool has_kind_ = false;
  std::vector<Column> columns_;
};

}  // namespace

ReferenceTable read_reference_table(std::string_view text, const std::string& file) {
  const CsvText csv = parse_csv(text, file);
  return TableReader(csv, file).read();
}

}  // namespace dlscale::analysis
