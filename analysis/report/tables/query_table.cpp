// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/query_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"

namespace dlscale::analysis {
namespace {

std::string value_text_of(const RunValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? "" : *text;
}

std::string aggregate_name_of(const GroupRow& row, const Query& query) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < query.by.size(); ++i) {
    parts.push_back(query.by[i] + "=" + value_text_of(row.by[i]));
  }
  return parts.empty() ? "all runs" : fmt::format("{}", fmt::join(parts, ", "));
}

bool has_own_n(const Aggregate& aggregate) {
  return aggregate.function != "count";
}

/// True where all aggregates of each group rest on equally many values: one column of n will do.
bool equal_n(const std::vector<GroupRow>& rows, const Query& query) {
  return std::all_of(rows.begin(), rows.end(), [&](const GroupRow& row) {
    std::set<std::size_t> counts;
    for (std::size_t i = 0; i < row.shown.size(); ++i) {
      if (has_own_n(query.shown[i])) counts.insert(row.shown[i].n);
    }
    return counts.size() <= 1;
  });
}

/// A number for whole ones, else the text that reads back as it.
void add_group_value(Row& row, const RunValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (std::holds_alternative<std::monostate>(value)) {
    row.nothing();
  } else if (number != nullptr && *number == std::floor(*number)) {
    row.number(*number);
  } else {
    row.text(value_text_of(value));
  }
}

Repeats repeats_of(const std::vector<GroupRow>& rows, std::size_t place) {
  Repeats repeats;
  for (const GroupRow& row : rows) {
    if (row.shown[place].n > 0 && !row.shown[place].refused) repeats.add(row.shown[place].n);
  }
  return repeats;
}

/// Digits after the point that a column's values have; one more where whole numbers are put
/// together: the middle of two is a half, a mean anything.
int aggregate_decimals_of(const Aggregate& one, const RunColumn* column,
                          const std::vector<GroupRow>& rows, std::size_t place) {
  if (column == nullptr) return 0;
  if (column->decimals > 0 || column->kind == RunColumn::Kind::Rate) return column->decimals;
  const auto is_whole = [](double value) { return value == std::floor(value); };
  const bool all_whole = std::all_of(rows.begin(), rows.end(), [&](const GroupRow& row) {
    const AggregateValue& value = row.shown[place];
    return is_whole(value.number.value_or(0)) && is_whole(value.interval.low) &&
           is_whole(value.interval.high);
  });
  if (all_whole) return 0;
  return one.function == "mean" ? 2 : 1;
}

std::vector<Column> columns_of(const std::vector<RunColumn>& columns, const Query& query,
                               const std::vector<GroupRow>& rows, bool one_n) {
  std::vector<Column> result;
  for (const std::string& name : query.by) result.push_back({name, name});
  const bool any_n = std::any_of(query.shown.begin(), query.shown.end(), &has_own_n);
  if (one_n && any_n) result.push_back({"n", "n"});
  for (std::size_t i = 0; i < query.shown.size(); ++i) {
    const Aggregate& one = query.shown[i];
    const RunColumn* column = find_column(columns, one.column);
    const int decimals = aggregate_decimals_of(one, column, rows, i);
    const std::string id = one.column.empty() ? one.function : one.function + "_" + one.column;
    if (!one_n && has_own_n(one)) result.push_back({"n_" + id, "n"});
    Column shown{id, to_string(one), "", decimals};
    if (one.function == "interval") {
      shown.title = fmt::format("{} of {}", interval_title(repeats_of(rows, i)), one.column);
      shown.bounds = true;
    }
    result.push_back(std::move(shown));
  }
  return result;
}

void add_row(Table& table, const GroupRow& group, const Query& query, bool one_n) {
  Row row;
  for (const RunValue& value : group.by) add_group_value(row, value);
  const auto own = std::find_if(query.shown.begin(), query.shown.end(), &has_own_n);
  if (one_n && own != query.shown.end()) {
    row.number(double(group.shown[static_cast<std::size_t>(own - query.shown.begin())].n));
  }
  for (std::size_t i = 0; i < query.shown.size(); ++i) {
    const AggregateValue& value = group.shown[i];
    if (!one_n && has_own_n(query.shown[i])) row.number(double(value.n));
    if (query.shown[i].function == "interval") {
      row.interval(value.interval);
    } else {
      row.number(value.number);
    }
  }
  row.into(table);
}

/// What each function and rate of the query means.
std::string meaning_of(const std::vector<RunColumn>& columns, const Query& query) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& part) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  };
  for (const Aggregate& one : query.shown) {
    for (const AggregateFunction& function : aggregate_functions()) {
      if (function.name == one.function) add(fmt::format("{}: {}", one.function, function.summary));
    }
    const RunColumn* column = find_column(columns, one.column);
    if (column != nullptr && !column->made_of.empty()) {
      add(fmt::format("{} = {} of a run", column->name, column->made_of));
    }
    if (column != nullptr && column->covers[0] != '\0') {
      add(fmt::format("{}: {}", column->name, column->covers));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

void add_refusals(std::vector<std::string>& notes, const std::vector<GroupRow>& rows,
                  const Query& query) {
  std::size_t refused = 0;
  for (const GroupRow& row : rows) {
    if (row.mixed.empty() || ++refused > kMostRefusedShown) continue;
    if (query.allow_mixed) {
      notes.push_back(fmt::format("warning: {} mixes conditions: {}", aggregate_name_of(row, query),
                                  row.mixed));
    } else {
      notes.push_back(fmt::format("not put together: {}, {} (add it to by, or --mixed)",
                                  aggregate_name_of(row, query), row.mixed));
    }
  }
  if (refused > kMostRefusedShown) {
    notes.push_back(fmt::format("and {} groups more like these", refused - kMostRefusedShown));
  }
}

}  // namespace

Table query_table(const Frame& frame, const std::vector<RunColumn>& columns, const Query& query,
                  const std::string& text) {
  const QueryAnswer found = answer(frame, columns, query);
  const bool one_n = equal_n(found.rows, query);
  Table table{"query", fmt::format("{} of {}", text, frame.study), {}, {}, {}};
  table.notes.push_back(meaning_of(columns, query));
  table.notes.push_back(
      fmt::format("n: runs with a value, of {} that were asked about", found.runs));
  if (!found.pooled.empty()) {
    table.notes.push_back(
        fmt::format("rows put together several values of {}", fmt::join(found.pooled, ", ")));
  }
  add_refusals(table.notes, found.rows, query);
  table.notes.push_back(describe_use(frame));
  if (!frame.outliers.empty()) table.notes.push_back(frame.outliers);
  table.columns = columns_of(columns, query, found.rows, one_n);
  tell_axes_apart(table, query.by.size());
  for (const GroupRow& row : found.rows) add_row(table, row, query, one_n);
  return table;
}

}  // namespace dlscale::analysis
