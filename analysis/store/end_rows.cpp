// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/end_rows.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>

#include "analysis/frame.hpp"

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;

void write_end(SQLite::Statement& update, const std::string& run_id, int launch,
               const LaunchEnd& end) {
  update.reset();
  update.bind(1, end.outcome);
  update.bind(2, end.source);
  update.bind(3, end.reason);
  update.bind(4, run_id);
  update.bind(5, launch);
  update.exec();
}

}  // namespace

/// Once for all runs.
struct EndRows::Prepared {
  SQLite::Statement launches;
  SQLite::Statement launch_end;
  SQLite::Statement run_end;

  std::vector<LaunchSeen> launches_of(const ConcludedRun& run) {
    std::vector<LaunchSeen> seen;
    launches.reset();
    launches.bind(1, run.run_id);
    while (launches.executeStep()) {
      const SQLite::Column started = launches.getColumn(1);
      seen.push_back({launches.getColumn(0), started.isNull() ? std::nan("") : started.getDouble(),
                      contract::outcome_from_string(launches.getColumn(2).getString()),
                      launches.getColumn(3).getString()});
      if (run.imported) seen.back().source = launches.getColumn(4).getString();
    }
    return seen;
  }
};

EndRows::EndRows(SQLite::Database& database)
    : prepared_(new Prepared{
          {database,
           "SELECT launch, started, stop_outcome, stop_reason, source FROM launch "
           "WHERE run_id = ? ORDER BY launch"},
          {database,
           "UPDATE launch SET outcome = ?, outcome_source = ?, reason = ? "
           "WHERE run_id = ? AND launch = ?"},
          {database,
           "UPDATE run SET plan_position = ?, outcome = ?, result_launch = ? WHERE run_id = ?"}}) {}
EndRows::~EndRows() = default;

void EndRows::conclude(const ConcludedRun& run, const std::vector<EndRecord>& noted) {
  const std::vector<LaunchSeen> seen = prepared_->launches_of(run);
  const std::vector<LaunchEnd> ends = decide_ends(seen, noted);
  LaunchEnd last = ends.empty() ? decide_without_launch(noted) : ends.back();
  std::optional<int> result_launch;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    write_end(prepared_->launch_end, run.run_id, seen[i].launch, ends[i]);
    if (ends[i].outcome != contract::to_string(RunOutcome::Completed)) continue;
    result_launch = seen[i].launch;
    last = ends[i];
  }
  if (run.unreadable) {  // measured what, nobody knows
    last.outcome = kUnreadable;
    result_launch.reset();
  }
  SQLite::Statement& update = prepared_->run_end;
  update.reset();
  update.clearBindings();
  if (run.plan_position) update.bind(1, *run.plan_position);
  update.bind(2, last.outcome);
  if (result_launch) update.bind(3, *result_launch);
  update.bind(4, run.run_id);
  update.exec();
}

}  // namespace dlscale::analysis
