// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/measured_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <array>

namespace dlscale::analysis {
namespace {

/// Query for the sums over the windows of a launch. If ?4 is a step, only the windows count that
/// are known to end at or before step ?3, and the windows that begin before step ?4 count as
/// warm-up in addition to the marked windows. If ?4 is NULL, all windows count. Each quantity has
/// one row for the warm-up windows and one row for the other windows. A window whose number of
/// steps is unknown has the weight of one step.
constexpr const char* kWindowSums =
    "SELECT name, coalesce(unit, ''), coalesce(warmup, 0) OR coalesce(first_step < ?4, 0) AS "
    "early, "
    "count(*), count(nullif(wall_s > 0, 0)), "
    "sum(coalesce(steps, 1)), sum(value * coalesce(steps, 1)), sum(wall_s), sum(value * wall_s) "
    "FROM measured JOIN step_window USING (run_id, launch, line) "
    "LEFT JOIN measured_unit USING (run_id, launch, name) "
    "WHERE run_id = ?1 AND launch = ?2 AND record = 'step_window' AND value IS NOT NULL "
    "AND (?4 IS NULL OR first_step + steps <= ?3) GROUP BY name, early";

/// Query for the values of the epochs of a launch that ended at or before step ?3.
constexpr const char* kEpochValues =
    "SELECT name, coalesce(unit, ''), epoch, value "
    "FROM measured JOIN epoch USING (run_id, launch, line) JOIN launch USING (run_id, launch) "
    "LEFT JOIN measured_unit USING (run_id, launch, name) "
    "WHERE run_id = ?1 AND launch = ?2 AND record = 'epoch' AND value IS NOT NULL "
    "AND (epoch + 1) * coalesce(steps_per_epoch, 0) <= ?3 ORDER BY line";

}  // namespace

/// Sums for one quantity over the windows that have a value of it.
struct MeasuredReader::Sums {
  std::int64_t windows = 0, timed_windows = 0;
  double steps = 0, over_steps = 0;    ///< sum of the steps, and of value x steps
  double wall_s = 0, over_wall_s = 0;  ///< sum of the times, and of value x time

  double mean() const {
    return timed_windows == windows && wall_s > 0 ? over_wall_s / wall_s : over_steps / steps;
  }
};

struct MeasuredReader::Prepared {
  /// False if no run of the study has measured quantities. The queries are then not executed.
  bool has_rows;
  SQLite::Statement windows, epochs;
  std::string run_id = {};
  /// Sums over the steady windows and over the warm-up windows.
  std::array<std::map<MeasuredColumn, Sums>, 2> sums = {};
  std::map<MeasuredColumn, std::map<int, double>> by_epoch = {};
};

MeasuredReader::MeasuredReader(SQLite::Database& database)
    : prepared_(
          new Prepared{database.execAndGet("SELECT EXISTS (SELECT 1 FROM measured)").getInt() != 0,
                       {database, kWindowSums},
                       {database, kEpochValues}}) {}
MeasuredReader::~MeasuredReader() = default;

void MeasuredReader::begin(const std::string& run_id) {
  prepared_->run_id = run_id;
  prepared_->sums = {};
  prepared_->by_epoch.clear();
}

void MeasuredReader::add(const LaunchLink& link, std::optional<std::int64_t> steady_step) {
  if (!prepared_->has_rows) return;
  const auto bind = [&](SQLite::Statement& query) {
    query.reset();
    query.bind(1, prepared_->run_id);
    query.bind(2, link.launch);
    query.bind(3, link.until);
  };
  SQLite::Statement& windows = prepared_->windows;
  bind(windows);
  steady_step ? windows.bind(4, *steady_step) : windows.bind(4);
  while (windows.executeStep()) {
    const std::size_t warmup = windows.getColumn(2).getInt() != 0 ? 1 : 0;
    Sums& sums = prepared_->sums[warmup][{windows.getColumn(0), windows.getColumn(1)}];
    sums.windows += windows.getColumn(3).getInt64();
    sums.timed_windows += windows.getColumn(4).getInt64();
    sums.steps += windows.getColumn(5).getDouble();
    sums.over_steps += windows.getColumn(6).getDouble();
    sums.wall_s += windows.getColumn(7).getDouble();
    sums.over_wall_s += windows.getColumn(8).getDouble();
  }
  SQLite::Statement& epochs = prepared_->epochs;
  bind(epochs);
  while (epochs.executeStep()) {
    prepared_->by_epoch[{epochs.getColumn(0), epochs.getColumn(1)}][epochs.getColumn(2)] =
        epochs.getColumn(3).getDouble();
  }
}

std::map<MeasuredColumn, double> MeasuredReader::means(bool of_warmup) const {
  std::map<MeasuredColumn, double> means;
  for (const auto& [column, sums] : prepared_->sums[of_warmup ? 1 : 0]) {
    means[column] = sums.mean();
  }
  for (const auto& [column, values] : prepared_->by_epoch) {
    const bool has_windows =
        prepared_->sums[0].contains(column) || prepared_->sums[1].contains(column);
    if (has_windows) continue;
    double sum = 0;
    for (const auto& [epoch, value] : values) sum += value;
    auto count = static_cast<double>(values.size());
    if (values.size() > 1) {
      sum -= values.begin()->second;
      --count;
    }
    means[column] = sum / count;
  }
  return means;
}

}  // namespace dlscale::analysis
