// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/step_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/store/reading/measured_reader.hpp"
#include "analysis/store/window_sum.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::analysis {
namespace {

std::string sums_query() {
  std::string parts;
  for (const char* part : contract::kStepPartNames) parts += fmt::format(", {}_s", part);
  return "SELECT warmup, steps, samples, wall_s, bytes_sent, comm_busy_s, collectives" + parts +
         ", launch, end_step FROM step_sum WHERE run_id = ? ORDER BY launch, warmup";
}

/// Returns a query that sums those windows of a launch that are known to end at or before step ?3.
/// The query gives one row for the warm-up windows and one row for the other windows. Windows that
/// begin before step ?4 count as warm-up, in addition to the windows that the trainer marked.
std::string windows_query() {
  std::string parts;
  for (const char* part : contract::kStepPartNames) parts += fmt::format(", sum({}_mean_s)", part);
  return "SELECT coalesce(warmup, 0) OR first_step < ?4 AS early, sum(steps), sum(samples), "
         "sum(wall_s), sum(bytes_sent), sum(comm_busy_mean_s), sum(collectives)" +
         parts +
         " FROM step_window WHERE run_id = ?1 AND launch = ?2 AND first_step + steps <= ?3 "
         "GROUP BY early";
}

constexpr int kParts = 7;  ///< number of the column with the first step part
constexpr int kLaunch = kParts + contract::kStepParts, kEndStep = kLaunch + 1;

struct Sums {
  StepTotals totals;
  int launch = 0;
  std::int64_t end_step = 0;
};

StepTotals totals_of(SQLite::Statement& row) {
  StepTotals totals;
  totals.includes_warmup = row.getColumn(0).getInt() != 0;
  totals.steps = row.getColumn(1).getInt64();
  totals.samples = row.getColumn(2).getInt64();
  totals.wall_s = row.getColumn(3).getDouble();
  totals.bytes_sent = row.getColumn(4).getDouble();
  totals.comm_busy_s = row.getColumn(5).getDouble();
  totals.collectives = row.getColumn(6).getDouble();
  for (int i = 0; i < contract::kStepParts; ++i) {
    totals.parts_s[static_cast<std::size_t>(i)] = row.getColumn(kParts + i).getDouble();
  }
  return totals;
}

void add_totals(StepTotals& to, const StepTotals& totals) {
  to.steps += totals.steps;
  to.samples += totals.samples;
  to.wall_s += totals.wall_s;
  to.bytes_sent += totals.bytes_sent;
  to.comm_busy_s += totals.comm_busy_s;
  to.collectives += totals.collectives;
  for (std::size_t i = 0; i < to.parts_s.size(); ++i) to.parts_s[i] += totals.parts_s[i];
}

/// Returns false if the log records only rates (samples per second). In this case `wall_s` is not
/// the duration of the training. It is a sum with one term for each logged rate: the time of one
/// sample at this rate.
bool tells_wall_time(const StepTotals& totals) {
  return totals.steps > 0 || std::any_of(totals.parts_s.begin(), totals.parts_s.end(),
                                         [](double part_s) { return part_s > 0; });
}

double told_s(const StepTotals& totals) {
  return tells_wall_time(totals) ? totals.wall_s : 0;
}

void let_samples_stand_for_steps(StepTotals& totals) {
  totals.tells_steps = totals.steps > 0 || totals.samples <= 0;
  if (!totals.tells_steps) totals.steps = totals.samples;
}

/// Largest number of windows of a launch that are examined for the end of the warm-up. A launch
/// that does not become steady within these windows counts as never steady.
constexpr int kMostWarmUp = 200;

/// Result of the search for the first steady window of a launch.
struct SteadyStart {
  std::int64_t step = 0;    ///< number of the first step that is steady; 0: none found
  std::int64_t marked = 0;  ///< number of windows marked as warm-up at the start of the launch
  std::optional<std::int64_t> detected;  ///< number of windows before the first steady window
  std::int64_t windows = 0;              ///< number of examined windows
};

/// Updates `end` with the result of one launch. Returns true if the launch became steady after the
/// end of the warm-up that the trainer marked.
bool note(WarmUpEnd& end, const SteadyStart& start) {
  const auto fewest = static_cast<std::int64_t>(SteadyRule{}.windows);
  if (!start.detected) {
    end.unsteady += start.windows - start.marked >= fewest ? 1 : 0;
    return false;
  }
  const auto late = static_cast<int>(*start.detected - start.marked);
  end.late_windows = std::max(end.late_windows, late);
  return late > 0;
}

}  // namespace

struct StepReader::Prepared {
  WarmUp warmup;
  SQLite::Statement sums;
  SQLite::Statement windows;
  SQLite::Statement first;
  SQLite::Statement counters;
  MeasuredReader measured;

  /// Examines the windows of a launch in order until as many consecutive windows agree as
  /// SteadyRule requires.
  SteadyStart steady_start(const std::string& run_id, int launch) {
    const SteadyRule rule;
    SteadyStart found;
    std::vector<double> times;  // step times of the most recent windows
    std::vector<std::int64_t> steps;
    first.reset();
    first.bind(1, run_id);
    first.bind(2, launch);
    while (!found.detected && first.executeStep()) {
      if (found.marked == found.windows && first.getColumn(2).getInt() != 0) ++found.marked;
      ++found.windows;
      times.push_back(first.getColumn(1).getDouble());
      steps.push_back(first.getColumn(0).getInt64());
      if (times.size() > rule.windows) {
        times.erase(times.begin());
        steps.erase(steps.begin());
      }
      if (times.size() == rule.windows && steady_from(times, rule)) {
        found.detected = found.windows - static_cast<std::int64_t>(rule.windows);
        found.step = steps.front();
      }
    }
    return found;
  }

  std::vector<Sums> sums_of(const std::string& run_id) {
    std::vector<Sums> all;
    sums.reset();
    sums.bind(1, run_id);
    while (sums.executeStep()) {
      all.push_back({totals_of(sums), sums.getColumn(kLaunch), sums.getColumn(kEndStep)});
    }
    return all;
  }

  template <class Visit>
  void each_part(const std::string& run_id, const LaunchLink& link, std::int64_t steady_step,
                 Visit visit) {
    windows.reset();
    windows.bind(1, run_id);
    windows.bind(2, link.launch);
    windows.bind(3, link.until);
    windows.bind(4, steady_step);
    while (windows.executeStep()) visit(totals_of(windows));
  }
};

StepReader::StepReader(SQLite::Database& database, WarmUp warmup)
    : prepared_(new Prepared{
          warmup,
          {database, sums_query()},
          {database, windows_query()},
          {database, fmt::format("SELECT first_step, wall_s / steps, warmup FROM step_window "
                                 "WHERE run_id = ? AND launch = ? AND steps > 0 "
                                 "ORDER BY line LIMIT {}",
                                 kMostWarmUp)},
          {database,
           "SELECT name, value FROM counter_sum WHERE run_id = ? AND launch = ? AND warmup = ?"},
          MeasuredReader(database)}) {}
StepReader::~StepReader() = default;

namespace {

/// Returns the number of steps in the launches in `chain`. If `warmup` is true, only the steps of
/// windows with start-up costs count, else only the steps of the other windows.
std::int64_t counted_steps(const std::vector<Sums>& all, const std::vector<LaunchLink>& chain,
                           bool warmup) {
  std::int64_t steps = 0;
  for (const Sums& sums : all) {
    const bool is_linked = std::any_of(chain.begin(), chain.end(), [&](const LaunchLink& link) {
      return link.launch == sums.launch;
    });
    if (is_linked && sums.totals.includes_warmup == warmup)
      steps = capped_sum(steps, sums.totals.steps);
  }
  return steps;
}

}  // namespace

void StepReader::read(RunRow& run, const std::vector<LaunchLink>& chain) {
  const std::vector<Sums> all = prepared_->sums_of(run.run_id);
  StepTotals steady, warmup;
  warmup.includes_warmup = true;
  prepared_->measured.begin(run.run_id);
  const auto visit = [&](const StepTotals& totals) {
    add_totals(totals.includes_warmup ? warmup : steady, totals);
  };
  for (const LaunchLink& link : chain) {
    std::int64_t end_step = 0;
    for (const Sums& sums : all) {
      if (sums.launch == link.launch) end_step = std::max(end_step, sums.end_step);
    }
    const SteadyStart steady_start = prepared_->steady_start(run.run_id, link.launch);
    const bool late = note(run.warmup, steady_start) && prepared_->warmup == WarmUp::Detected;
    // The sums of the whole launch are used unless some of its windows do not count, or count as
    // warm-up without a mark. In these two cases, a window whose number of steps is unknown does
    // not count, because it may be one of these windows.
    std::optional<std::int64_t> steady_step;
    if (late || end_step > link.until) steady_step = late ? steady_start.step : 0;
    prepared_->measured.add(link, steady_step);
    if (steady_step) {
      prepared_->each_part(run.run_id, link, *steady_step, visit);
      continue;
    }
    for (const Sums& sums : all) {
      if (sums.launch == link.launch) visit(sums.totals);
    }
  }
  run.steps = steady.steps > 0 || steady.samples > 0 ? steady : warmup;
  run.steps.leaves_out_warmup =
      !run.steps.includes_warmup && (warmup.samples > 0 || warmup.wall_s > 0);
  let_samples_stand_for_steps(run.steps);
  read_counters(run, chain, counted_steps(all, chain, run.steps.includes_warmup));
  run.measured = prepared_->measured.means(run.steps.includes_warmup);
  run.spent.kept_s = told_s(steady) + told_s(warmup);
  double all_s = 0;
  for (const Sums& sums : all) all_s += told_s(sums.totals);
  run.spent.lost_s = all_s - run.spent.kept_s;
}

void StepReader::read_counters(RunRow& run, const std::vector<LaunchLink>& chain,
                               std::int64_t steps) {
  if (steps <= 0) return;
  SQLite::Statement& query = prepared_->counters;
  for (const LaunchLink& link : chain) {
    query.reset();
    query.bind(1, run.run_id);
    query.bind(2, link.launch);
    query.bind(3, run.steps.includes_warmup ? 1 : 0);
    while (query.executeStep()) {
      run.counters[query.getColumn(0)] +=
          query.getColumn(1).getDouble() / static_cast<double>(steps);
    }
  }
}

}  // namespace dlscale::analysis
