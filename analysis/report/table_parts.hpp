// SPDX-License-Identifier: Apache-2.0
// Private to analysis/report/*.cpp: what the tables of a study are put together from.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"
#include "analysis/scaling/curve.hpp"

namespace dlscale::analysis {

/// A row under way; values come in the order of the columns.
class Row {
 public:
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

/// A table without rows yet: `columns` after those that tell rows apart.
Table begin_table(const Start& start, const std::string& id, const std::string& title,
                  std::vector<std::string> notes, const std::vector<Column>& columns);

}  // namespace dlscale::analysis
