// SPDX-License-Identifier: Apache-2.0
// Code that several tables of a study use. Private to analysis/report/tables/.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Table row that is built cell by cell. Cells must be added in the order of the columns.
class Row {
 public:
  Row() { cells_.reserve(16); }  // most rows have fewer cells
  Row& text(const std::string& value) { return cells_.emplace_back(value), *this; }
  Row& number(double value) { return cells_.emplace_back(value), *this; }
  Row& number(const std::optional<double>& value) { return value ? number(*value) : nothing(); }
  Row& interval(const Interval& value) {
    if (value.kind == Interval::Kind::None) return nothing();
    return cells_.emplace_back(Bounds{value.low, value.high}), *this;
  }
  /// Adds a text with the names of axes. `text_with` returns the text with the names that its
  /// argument, a function, returns for the study's axes. Readers see the short names among `axes`.
  template <class TextWith>
  Row& axes_text(TextWith text_with, const std::vector<std::string>& axes) {
    const auto short_name = [&](const std::string& axis) { return short_axis(axis, axes); };
    return cells_.emplace_back(AxesText{text_with(short_name), text_with(std::identity())}), *this;
  }
  Row& nothing() { return cells_.emplace_back(), *this; }
  void into(Table& table) { table.rows.push_back(std::move(cells_)); }

 private:
  std::vector<Cell> cells_;
};

/// Largest number of refused pairs (pairs under different conditions) that a table's notes list.
/// Further pairs are only counted.
inline constexpr std::size_t kMostRefusedShown = 3;

/// Adds a cell with the median of the values, or an empty cell if there are no values.
void add_median(Row& row, const std::vector<double>& values);

/// Adds two cells: the median of the values and its interval. Both are empty if there are no
/// values.
void add_summary(Row& row, const std::vector<double>& values);

/// Adds `column` and a column with the intervals of its medians, for the cells of add_summary.
void add_columns(std::vector<Column>& columns, Column column, const Repeats& repeats);

/// Returns the results of calling `value` for each repeat of the point. Repeats for which `value`
/// returns no finite number are left out.
template <class Value>
std::vector<double> values_of(const RunPoint& point, Value value) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) {
    const std::optional<double> one = value(*run);
    if (one && std::isfinite(*one)) values.push_back(*one);
  }
  return values;
}

/// Returns the notes of a table with rows by point: the scaling mode, the statistic, the text
/// `meaning`, and the notes of add_frame_notes.
std::vector<std::string> run_notes_of(const Frame& frame, const std::vector<RunPoint>& points,
                                      const std::string& meaning);

/// Returns the title of a column that shows the intervals of medians, such as "95 % interval". With
/// few repeats, these are ranges, and the title is "range".
std::string interval_title(const Repeats& repeats);

/// First columns of most tables of a study: one column for each axis that varies among the rows,
/// and a column with the GPU count.
struct Start {
  std::string worker;
  std::vector<std::string> axes;
  std::vector<std::string> all_axes;  ///< with the axes that do not vary

  Start(const Frame& frame, const std::vector<CurveKey>& keys);
  std::vector<Column> columns() const;
  Row row(const CurveKey& key, int gpus) const;
};

/// Returns the points at which all runs failed. Returns none if there are no curves, because a
/// table without results gives the reason instead.
std::vector<RunPoint> failed_next_to(const std::vector<ScalingCurve>& curves, const Frame& frame);

/// Returns the keys of the curves, followed by those of the points.
std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves,
                              const std::vector<RunPoint>& points);

/// Rows of a table, collected in any order and sorted by curve and GPU count.
class PointRows {
 public:
  explicit PointRows(const Frame& frame) : frame_(frame) {}
  void add(const CurveKey& key, int gpus, Row row);
  /// Adds a row for each point at which all runs failed. The row has empty cells except for the
  /// reason in the last column. Adds this column to the table and its cells to all rows, unless no
  /// point failed.
  void add_failed(Table& table, const Start& start, const std::vector<RunPoint>& failed);
  void into(Table& table);

 private:
  using Order = std::tuple<std::vector<std::size_t>, std::string, int>;
  const Frame& frame_;
  std::vector<std::pair<Order, Row>> rows_;
};

/// Returns the bytes that a rank passes to collectives in an epoch, computed from the bytes that
/// the run counted. Returns an empty value if the run did not count them.
std::optional<double> payload_per_epoch(const RunRow& run);

/// Returns the bytes that a GPU sends in the ring all-reduces of an epoch (ring_bytes_per_epoch).
/// Returns an empty value if the run compresses gradients with PowerSGD, which sends no gradient
/// values.
std::optional<double> ring_bytes_of_epoch(const RunRow& run);

/// Adds the notes that every table has: uneven and unknown batches, the conditions that all runs
/// share, the conditions that differ between plan folders, the used runs, left-out outliers,
/// warm-up and interruptions.
void add_frame_notes(std::vector<std::string>& notes, const Frame& frame);

/// Renames axis columns whose name equals the name of another column, for example "n" to "axis_n",
/// and adds a note. The first `axes` columns of the table are axis columns. Column names must be
/// unique because programs find a column by its name.
void tell_axes_apart(Table& table, std::size_t axes);

/// Returns a table without rows. It has the columns of `start`, followed by `columns`. Columns of
/// axes whose name equals the name of another column are renamed (see tell_axes_apart).
Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns);

}  // namespace dlscale::analysis
