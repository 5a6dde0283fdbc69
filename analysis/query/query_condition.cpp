// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/query_condition.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

using analysis::RunRow;
using config::Symbol;
using config::Value;

/// Texts that are always "true" or "false" are truth values.
bool is_truth(const analysis::RunColumn& column, const analysis::Frame& frame) {
  bool any = false;
  for (const RunRow& run : frame.runs) {
    const analysis::RunValue value = column.value(run);
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) continue;
    if (*text != "true" && *text != "false") return false;
    any = true;
  }
  return any;
}

Symbol symbol_of(const analysis::RunColumn& column, const analysis::Frame& frame) {
  if (column.kind != analysis::RunColumn::Kind::Text) return {column.name, Symbol::Kind::number};
  if (is_truth(column, frame)) return {column.name, Symbol::Kind::truth};
  return {column.name, Symbol::Kind::text};
}

Value value_of(const analysis::RunColumn& column, const Symbol& symbol, const RunRow& run) {
  const analysis::RunValue value = column.value(run);
  if (symbol.kind == Symbol::Kind::number) {
    const auto* number = std::get_if<double>(&value);
    return number == nullptr ? std::numeric_limits<double>::quiet_NaN() : *number;
  }
  const auto* text = std::get_if<std::string>(&value);
  if (symbol.kind == Symbol::Kind::truth) return text != nullptr && *text == "true";
  return text == nullptr ? std::string() : *text;
}

}  // namespace

std::function<bool(const RunRow&)> query_condition(const std::string& text,
                                                   const std::vector<analysis::RunColumn>& columns,
                                                   const analysis::Frame& frame) {
  std::vector<Symbol> symbols;
  for (const analysis::RunColumn& column : columns) symbols.push_back(symbol_of(column, frame));
  const config::Node node{text, {"--query"}};
  const auto expression =
      std::make_shared<const config::Expression>(config::Item{node, "where"}, symbols);
  return [expression, symbols, &columns](const RunRow& run) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const bool asked = expression->names(i);  // the others cost time alone
      values.push_back(asked ? value_of(columns[i], symbols[i], run) : Value());
    }
    return expression->holds(values);
  };
}

}  // namespace dlscale::analysis
