// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/window_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "analysis/store/launch_chain.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"

namespace dlscale::analysis {

std::map<std::string, std::vector<WindowLoss>> read_window_losses(
    const contract::PlanDir& folder, const std::set<std::string>& run_ids) {
  std::map<std::string, std::vector<WindowLoss>> losses;
  Store store(folder.database(), Store::Access::Read);
  store.with([&](SQLite::Database& database) {
    LaunchChains chains(database);
    SQLite::Statement runs(database,
                           "SELECT result_launch FROM run "
                           "WHERE run_id = ? AND plan_position IS NOT NULL AND result_launch > 0");
    SQLite::Statement windows(
        database,
        "SELECT epoch, first_step, steps, train_loss, wall_s FROM step_window "
        "WHERE run_id = ? AND launch = ? AND first_step + steps <= ? AND train_loss IS NOT NULL "
        "ORDER BY line");
    for (const std::string& run_id : run_ids) {
      runs.reset();
      runs.bind(1, run_id);
      if (!runs.executeStep()) continue;
      for (const LaunchLink& link : chains.chain_to(run_id, runs.getColumn(0))) {
        windows.reset();
        windows.bind(1, run_id);
        windows.bind(2, link.launch);
        windows.bind(3, link.until);
        while (windows.executeStep()) {
          losses[run_id].push_back({windows.getColumn(0), windows.getColumn(1),
                                    windows.getColumn(2), windows.getColumn(3),
                                    number_or_nan(windows.getColumn(4))});
        }
      }
    }
  });
  return losses;
}

std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder,
                                               const std::set<std::string>& run_ids) {
  std::map<std::string, double> peaks;
  Store store(folder.database(), Store::Access::Read);
  store.with([&](SQLite::Database& database) {
    SQLite::Statement peak(database,
                           "SELECT max(peak_memory_bytes) FROM step_window JOIN run USING (run_id) "
                           "WHERE run_id = ? AND launch = result_launch");
    for (const std::string& run_id : run_ids) {
      peak.reset();
      peak.bind(1, run_id);
      if (!peak.executeStep()) continue;
      const double bytes = number_or_nan(peak.getColumn(0));
      if (bytes > 0) peaks[run_id] = bytes;
    }
  });
  return peaks;
}

}  // namespace dlscale::analysis
