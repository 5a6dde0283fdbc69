// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/table_parts.hpp"

#include <fmt/format.h>

#include <set>

#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"

namespace dlscale::analysis {

std::string interval_title(const Repeats& repeats) {
  if (repeats.most < kFewestForInterval) return "range";
  return repeats.fewest < kFewestForInterval ? "range or 95 % interval" : "95 % interval";
}

void add_median(Row& row, const std::vector<double>& values) {
  values.empty() ? row.nothing() : row.number(median(values));
}

Start::Start(const Frame& frame, const std::vector<CurveKey>& keys)
    : worker(worker_noun(frame)), axes(varying_axes(keys)) {}

std::vector<Column> Start::columns() const {
  std::vector<Column> columns;
  for (const std::string& axis : axes) columns.push_back({axis, axis_title(axis, worker), ""});
  columns.push_back({"gpus", worker + "s", ""});
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

Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns) {
  Table table{id, title, std::move(notes), start.columns(), {}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  tell_axes_apart(table, start.axes.size());
  return table;
}

}  // namespace dlscale::analysis
