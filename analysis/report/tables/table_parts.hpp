// SPDX-License-Identifier: Apache-2.0
// Parts that the tables of a study share. Private to analysis/report/tables/.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// Row under construction. Values must be added in the order of the columns.
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
  Row& nothing() { return cells_.emplace_back(), *this; }
  void into(Table& table) { table.rows.push_back(std::move(cells_)); }

 private:
  std::vector<Cell> cells_;
};

/// Largest number of refused groups or pairs that are listed. Further ones are only counted.
inline constexpr std::size_t kMostRefusedShown = 3;

/// Adds the median as the next value, or an empty cell without values.
void add_median(Row& row, const std::vector<double>& values);

/// Returns the title of a column with intervals of medians over this number of repeats.
std::string interval_title(const Repeats& repeats);

/// First columns of every table of a scaling study: the axes that distinguish the rows.
struct Start {
  std::string worker;
  std::vector<std::string> axes;

  Start(const Frame& frame, const std::vector<CurveKey>& keys);
  std::vector<Column> columns() const;
  Row row(const CurveKey& key, int gpus) const;
};

/// Returns the bytes that a rank passes to collectives in an epoch, as counted. Returns an empty
/// value without a count.
std::optional<double> payload_per_epoch(const RunRow& run);

/// Adds notes on the used runs and on the conditions that they share.
void add_frame_notes(std::vector<std::string>& notes, const Frame& frame);

/// Renames those of the first `axes` columns that have the name of another column, "n" to "axis_n",
/// and adds a note. Programs find a column by its name.
void tell_axes_apart(Table& table, std::size_t axes);

/// Returns a table without rows. `columns` follow the columns of the axes. Axes with the name of
/// another column are renamed as in tell_axes_apart.
Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns);

}  // namespace dlscale::analysis
