// SPDX-License-Identifier: Apache-2.0
// Private to analysis/report/tables/: what the tables of a study are put together from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/metrics/scaling/curve.hpp"
#include "analysis/report/report.hpp"

namespace dlscale::analysis {

/// A row under way; values come in the order of the columns.
class Row {
 public:
  Row() { cells_.reserve(16); }  // most have fewer
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

/// More groups or pairs that were refused are counted, not listed.
inline constexpr std::size_t kMostRefusedShown = 3;

/// The next value: the median, or nothing where there are no values.
void add_median(Row& row, const std::vector<double>& values);

/// How intervals of medians of so many repeats are called.
std::string interval_title(const Repeats& repeats);

/// What every table of a scaling study starts with: the axes that tell rows apart.
struct Start {
  std::string worker;
  std::vector<std::string> axes;

  Start(const Frame& frame, const std::vector<CurveKey>& keys);
  std::vector<Column> columns() const;
  Row row(const CurveKey& key, int gpus) const;
};

/// What a rank hands to collectives in an epoch, in bytes, as counted; nothing without a count.
std::optional<double> payload_per_epoch(const RunRow& run);

/// Adds which runs were used and what they share.
void add_frame_notes(std::vector<std::string>& notes, const Frame& frame);

/// Renames those of the first `axes` columns that are called like one of the others, "n" to
/// "axis_n", and says so in a note: programs find a column by its name.
void tell_axes_apart(Table& table, std::size_t axes);

/// A table without rows yet: `columns` after those that tell rows apart. Axes that are called like
/// one of them have another name, as by tell_axes_apart.
Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns);

}  // namespace dlscale::analysis
