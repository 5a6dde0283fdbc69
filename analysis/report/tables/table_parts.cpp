// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/table_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

namespace {

/// Returns the outcomes of the runs of a point, such as "OutOfMemory (3 runs)".
std::string outcomes_of(const RunPoint& point) {
  std::map<std::string, int> counts;
  for (const RunRow* run : point.repeats) ++counts[run->outcome];
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts) {
    parts.push_back(fmt::format("{} ({})", outcome, base::count_of(count, "run")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string interval_title(const Repeats& repeats) {
  if (repeats.most < kFewestForInterval) return "range";
  return repeats.fewest < kFewestForInterval ? "range or 95 % interval" : "95 % interval";
}

void add_median(Row& row, const std::vector<double>& values) {
  values.empty() ? row.nothing() : row.number(median(values));
}

void add_summary(Row& row, const std::vector<double>& values) {
  if (values.empty()) {
    row.nothing().nothing();
  } else {
    row.number(median(values)).interval(interval_of_median(values));
  }
}

void add_columns(std::vector<Column>& columns, Column column, const Repeats& repeats) {
  columns.push_back(column);
  column.title = interval_title(repeats);
  column.bounds = true;
  columns.push_back(std::move(column));
}

std::vector<std::string> run_notes_of(const Frame& frame, const std::vector<RunPoint>& points,
                                      const std::string& meaning) {
  std::vector<std::string> notes{describe_mode(frame), describe_statistic(repeats_of(points)),
                                 meaning};
  add_frame_notes(notes, frame);
  return notes;
}

Start::Start(const Frame& frame, const std::vector<CurveKey>& keys)
    : worker(worker_noun(frame)), axes(varying_axes(keys)), all_axes(axes_of(keys)) {}

std::vector<Column> Start::columns() const {
  std::vector<Column> columns;
  for (const std::string& axis : axes) {
    columns.push_back({.id = axis, .title = axis_title(axis, worker, all_axes), .is_key = true});
  }
  columns.push_back({.id = kGpus, .title = worker + "s", .is_key = true});
  return columns;
}

Row Start::row(const CurveKey& key, int gpus) const {
  Row row;
  for (const std::string& axis : axes) {
    const std::string value = value_of(key, axis);
    value.empty() ? row.nothing() : row.text(value);
  }
  row.number(gpus);
  return row;
}

void add_frame_notes(std::vector<std::string>& notes, const Frame& frame) {
  const std::string uneven = describe_uneven_batches(frame);
  if (!uneven.empty()) notes.push_back(uneven);
  const std::string spread = describe_spread_batches(frame);
  if (!spread.empty()) notes.push_back(spread);
  const std::string unknown = describe_unknown_batches(frame);
  if (!unknown.empty()) notes.push_back(unknown);
  notes.push_back(describe_constants(frame));
  const std::string sources = describe_sources(frame);
  if (!sources.empty()) notes.push_back(sources);
  notes.push_back(describe_use(frame));
  if (!frame.outliers.empty()) notes.push_back(frame.outliers);
  const std::string warmup = describe_warmup(frame);
  if (!warmup.empty()) notes.push_back(warmup);
  const std::string interruptions = describe_interruptions(frame);
  if (!interruptions.empty()) notes.push_back(interruptions);
}

void tell_axes_apart(Table& table, std::size_t axes) {
  std::set<std::string> axis_names, names, titles;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (i < axes) {
      axis_names.insert(column.id);
      continue;
    }
    names.insert(column.bounds ? column.id + "_low" : column.id);
    names.insert(column.bounds ? column.id + "_high" : column.id);
    titles.insert(column.title);
  }
  for (std::size_t i = 0; i < axes; ++i) {
    Column& column = table.columns[i];
    if (titles.contains(column.title)) column.title = "axis " + column.title;
    if (!names.contains(column.id)) continue;
    std::string name = column.id;
    do {
      name = "axis_" + name;
    } while (names.contains(name) || axis_names.contains(name));
    table.notes.push_back(fmt::format("{}: the study's axis {}", name, column.id));
    column.id = name;
    axis_names.insert(name);
  }
}

std::vector<RunPoint> failed_next_to(const std::vector<ScalingCurve>& curves, const Frame& frame) {
  return curves.empty() ? std::vector<RunPoint>{} : failed_points(frame);
}

std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves,
                              const std::vector<RunPoint>& points) {
  std::vector<CurveKey> keys = keys_of(curves);
  for (const RunPoint& point : points) keys.push_back(point.key);
  return keys;
}

void PointRows::add(const CurveKey& key, int gpus, Row row) {
  rows_.emplace_back(Order(rank_of(frame_, key), to_string(key), gpus), std::move(row));
}

void PointRows::add_failed(Table& table, const Start& start, const std::vector<RunPoint>& failed) {
  if (failed.empty()) return;
  const std::size_t empty = table.columns.size() - start.columns().size();
  table.columns.push_back({"no_result", "no result"});
  for (auto& [order, row] : rows_) row.nothing();
  for (const RunPoint& point : failed) {
    Row row = start.row(point.key, point.first().gpus);
    for (std::size_t i = 0; i < empty; ++i) row.nothing();
    add(point.key, point.first().gpus, row.text(outcomes_of(point)));
  }
}

void PointRows::into(Table& table) {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, row] : rows_) row.into(table);
}

Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns) {
  Table table{id, title, std::move(notes), start.columns(), {}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  tell_axes_apart(table, start.axes.size());
  return table;
}

}  // namespace dlscale::analysis
