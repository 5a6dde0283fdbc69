// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/rank_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"

namespace dlscale::analysis {

std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder) {
  std::map<std::string, double> peaks;
  Store store(folder.database(), Store::Access::Read);
  store.with([&](SQLite::Database& database) {
    SQLite::Statement query(
        database,
        "SELECT run.run_id, max(peak_memory_bytes) AS most FROM run JOIN step_window "
        "ON step_window.run_id = run.run_id AND step_window.launch = run.result_launch "
        "WHERE plan_position IS NOT NULL GROUP BY run.run_id HAVING most > 0");
    while (query.executeStep()) {
      peaks[query.getColumn(0).getString()] = query.getColumn(1).getDouble();
    }
  });
  return peaks;
}

struct RankReader::Prepared {
  SQLite::Statement times;
  SQLite::Statement nodes;
};

RankReader::RankReader(SQLite::Database& database)
    : prepared_(new Prepared{
          {database,
           "SELECT launch, steps, stages, work_s, epoch, train_loss, train_accuracy FROM "
           "rank_times WHERE run_id = ? "
           "ORDER BY launch, line"},
          {database,
           "SELECT first_rank, ranks, host FROM launch_node WHERE run_id = ? AND launch = ? "
           "ORDER BY first_rank"}}) {}
RankReader::~RankReader() = default;

std::vector<LaunchRanks> RankReader::launches_of(const std::string& run_id) {
  auto& [times, nodes] = *prepared_;
  std::vector<LaunchRanks> launches;
  times.reset();
  times.bind(1, run_id);
  while (times.executeStep()) {
    const int launch = times.getColumn(0);
    if (launches.empty() || launches.back().launch != launch) {
      launches.push_back({launch, times.getColumn(2), {}, {}});
    }
    launches.back().epochs.push_back({times.getColumn(1), numbers_in(times.getColumn(3)),
                                      times.getColumn(4), numbers_in(times.getColumn(5)),
                                      numbers_in(times.getColumn(6))});
  }
  for (LaunchRanks& launch : launches) {
    nodes.reset();
    nodes.bind(1, run_id);
    nodes.bind(2, launch.launch);
    while (nodes.executeStep()) {
      launch.hosts.insert(launch.hosts.end(), nodes.getColumn(1).getUInt(),
                          nodes.getColumn(2).getString());
    }
  }
  return launches;
}

}  // namespace dlscale::analysis
