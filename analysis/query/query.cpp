// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

using Runs = std::vector<const RunRow*>;

constexpr AggregateFunction kFunctions[] = {
    {"count", "how many runs, of whatever outcome"},
    {"min", "the smallest value"},
    {"max", "the largest value"},
    {"median", "the middle of the runs' values"},
    {"interval", "its 95 % interval, of fewer than 6 values their range"},
    {"mean", "sum of the values / their number; not of rates"},
    {"sum", "of what adds up: samples, gpu_hours"},
    {"total", "of rates: the sum of what is above / the sum of what is below the line"},
};

/// Functions that make one number of several runs as if these were alike.
bool pools(const std::string& function) {
  static const std::set<std::string> names{"median", "interval", "mean", "total"};
  return names.contains(function);
}

std::vector<double> column_values_of(const RunColumn& column, const Runs& runs) {
  std::vector<double> values;
  for (const RunRow* run : runs) {
    const RunValue value = column.value(*run);
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && std::isfinite(*number)) values.push_back(*number);
  }
  return values;
}

double total_of(const RunColumn& column, const Runs& runs) {
  double above = 0, below = 0;
  for (const RunRow* run : runs) {
    if (!std::holds_alternative<double>(column.value(*run))) continue;
    above += column.above(*run);
    below += column.below(*run);
  }
  return above / below;
}

double number_from(const std::string& function, const std::vector<double>& values) {
  if (function == "min") return *std::min_element(values.begin(), values.end());
  if (function == "max") return *std::max_element(values.begin(), values.end());
  if (function == "sum") return std::accumulate(values.begin(), values.end(), 0.0);
  return function == "mean" ? mean(values) : median(values);
}

AggregateValue aggregate_value_of(const Aggregate& aggregate, const std::vector<RunColumn>& columns,
                                  const Runs& runs, bool is_refused) {
  if (aggregate.function == "count") return {double(runs.size()), {}, runs.size()};
  const RunColumn& column = *find_column(columns, aggregate.column);
  const std::vector<double> values = column_values_of(column, runs);
  AggregateValue result;
  result.n = values.size();
  result.refused = is_refused;
  if (is_refused || values.empty()) return result;
  if (aggregate.function == "interval") {
    result.interval = interval_of_median(values);
  } else {
    result.number = aggregate.function == "total" ? total_of(column, runs)
                                                  : number_from(aggregate.function, values);
  }
  return result;
}

/// The first condition in which runs with results differ, as a sentence; empty when none does.
std::string first_difference_of_runs(const Runs& runs) {
  std::map<std::string, std::string> known;
  for (const RunRow* run : runs) {
    if (!completed(*run)) continue;
    for (const auto& [name, value] : run->conditions) {
      const auto [entry, is_new] = known.emplace(name, value);
      if (is_new || entry->second == value) continue;
      return fmt::format("{} is \"{}\" and \"{}\"", name, entry->second, value);
    }
  }
  return "";
}

void add_pooled_axes(const Frame& frame, const Runs& runs, std::vector<std::string>& pooled) {
  for (const contract::Axis& axis : frame.axes) {
    if (std::find(pooled.begin(), pooled.end(), axis.name) != pooled.end()) continue;
    std::set<std::string> values;
    for (const RunRow* run : runs) {
      const auto found = run->point.find(axis.name);
      if (found != run->point.end()) values.insert(found->second);
    }
    if (values.size() > 1) pooled.push_back(axis.name);
  }
}

/// Values of what the query groups by, and the runs with them.
using RunGroups = std::vector<std::pair<std::vector<RunValue>, Runs>>;

/// In the order in which their first runs stand.
RunGroups groups_of(const Frame& frame, const std::vector<RunColumn>& columns, const Query& query) {
  RunGroups groups;
  std::map<std::vector<RunValue>, std::size_t> places;
  for (const RunRow& run : frame.runs) {
    if (query.where && !query.where(run)) continue;
    std::vector<RunValue> key;
    for (const std::string& name : query.by) key.push_back(find_column(columns, name)->value(run));
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.push_back({std::move(key), {}});
    groups[place->second].second.push_back(&run);
  }
  return groups;
}

/// Where a group stands by one of the columns it is made by: in the study's order of an axis, by
/// size of other numbers, else where it was first met. What has no value comes last.
double group_place(const Frame& frame, const std::string& name, const RunValue& value,
                   const RunRow& first, std::size_t met) {
  if (std::holds_alternative<std::monostate>(value)) return std::numeric_limits<double>::max();
  const auto* number = std::get_if<double>(&value);
  const double size = number != nullptr ? *number : static_cast<double>(met);
  for (const contract::Axis& axis : frame.axes) {
    const auto said = first.point.find(name);
    if (axis.name != name || said == first.point.end()) continue;
    const auto listed = std::find(axis.values.begin(), axis.values.end(), said->second);
    const auto place = static_cast<double>(listed - axis.values.begin());
    return listed != axis.values.end() ? place : place + size;
  }
  return size;
}

/// By their columns in turn. Runs themselves may be in the order of their names, "b10" before "b5".
RunGroups in_order(RunGroups groups, const Frame& frame, const Query& query) {
  std::vector<std::map<RunValue, std::size_t>> met(query.by.size());
  std::vector<std::pair<std::vector<double>, std::size_t>> order;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<double> place;
    for (std::size_t k = 0; k < query.by.size(); ++k) {
      const RunValue& value = groups[i].first[k];
      const std::size_t first = met[k].emplace(value, met[k].size()).first->second;
      place.push_back(group_place(frame, query.by[k], value, *groups[i].second.front(), first));
    }
    order.emplace_back(std::move(place), i);
  }
  std::sort(order.begin(), order.end());
  RunGroups ordered;
  for (const auto& [place, i] : order) ordered.push_back(std::move(groups[i]));
  return ordered;
}

/// What a row is sorted by; NaN: nothing, which comes last either way.
RunValue sort_key(const GroupRow& row, const Query& query) {
  for (std::size_t i = 0; i < query.by.size(); ++i) {
    if (query.by[i] == query.sort_by) return row.by[i];
  }
  for (std::size_t i = 0; i < query.shown.size(); ++i) {
    if (to_string(query.shown[i]) != query.sort_by) continue;
    const AggregateValue& value = row.shown[i];
    if (value.number) return *value.number;
    if (value.interval.kind != Interval::Kind::None) return value.interval.low;
  }
  return {};
}

void sort_rows(std::vector<GroupRow>& rows, const Query& query) {
  if (query.sort_by.empty()) return;
  std::stable_sort(rows.begin(), rows.end(), [&](const GroupRow& a, const GroupRow& b) {
    const RunValue first = sort_key(a, query), second = sort_key(b, query);
    const bool none = std::holds_alternative<std::monostate>(first);
    const bool other_none = std::holds_alternative<std::monostate>(second);
    if (none || other_none) return !none && other_none;
    return query.descending ? second < first : first < second;
  });
}

}  // namespace

std::span<const AggregateFunction> aggregate_functions() {
  return kFunctions;
}

std::string to_string(const Aggregate& aggregate) {
  return fmt::format("{}({})", aggregate.function, aggregate.column);
}

std::string refusal(const std::string& function, const RunColumn& column) {
  using Kind = RunColumn::Kind;
  const std::string& name = column.name;
  if (function == "count") return "count() takes no column: it counts runs";
  if (column.kind == Kind::Text) {
    return fmt::format("{} is a text; group by it, or count() the runs", name);
  }
  if (column.kind == Kind::Rate && (function == "mean" || function == "sum")) {
    return fmt::format(
        "a {} of rates is not a rate of anything; total({}) is the sum of {}, median({}) the "
        "middle run",
        function, name, column.made_of, name);
  }
  if (function == "sum" && column.kind == Kind::Number) {
    return fmt::format("{} does not add up over runs; ask for its median, min or max", name);
  }
  if (function == "total" && column.kind != Kind::Rate) {
    return fmt::format("total is for rates; {} is none, ask for {}({})", name,
                       column.kind == Kind::Amount ? "sum" : "median", name);
  }
  return "";
}

QueryAnswer answer(const Frame& frame, const std::vector<RunColumn>& columns, const Query& query) {
  QueryAnswer result;
  const bool any_pools =
      std::any_of(query.shown.begin(), query.shown.end(),
                  [](const Aggregate& aggregate) { return pools(aggregate.function); });
  for (auto& [key, runs] : in_order(groups_of(frame, columns, query), frame, query)) {
    result.runs += runs.size();
    GroupRow row{std::move(key), {}, any_pools ? first_difference_of_runs(runs) : ""};
    for (const Aggregate& aggregate : query.shown) {
      const bool refused = !row.mixed.empty() && !query.allow_mixed && pools(aggregate.function);
      row.shown.push_back(aggregate_value_of(aggregate, columns, runs, refused));
    }
    add_pooled_axes(frame, runs, result.pooled);
    result.rows.push_back(std::move(row));
  }
  sort_rows(result.rows, query);
  if (query.limit > 0 && result.rows.size() > query.limit) result.rows.resize(query.limit);
  return result;
}

}  // namespace dlscale::analysis
