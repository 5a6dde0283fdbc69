// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/memory_reader.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

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

}  // namespace dlscale::analysis
