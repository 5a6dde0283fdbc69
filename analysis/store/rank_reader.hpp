// SPDX-License-Identifier: Apache-2.0
// Reads the work times and hosts of the ranks of a run's launches, and the peak memory of ranks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "contract/plan/run_dir.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

// Peak memory of the ranks of a folder's runs, read from the folder's database.

/// Returns the peak memory in bytes of the rank that used most, by run, in the launch that gave the
/// run's result. On CPUs it is the resident memory of a process, on GPUs the memory that the
/// allocator had reserved. Runs without recorded memory are left out. Throws base::RunError when
/// the database cannot be used.
std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder);

// Reader of the work times and hosts of the ranks of a run's launches.

class RankReader {
 public:
  explicit RankReader(SQLite::Database& database);
  ~RankReader();
  RankReader(const RankReader&) = delete;
  RankReader& operator=(const RankReader&) = delete;

  /// Returns the launches that recorded rank times, in ascending order.
  std::vector<LaunchRanks> launches_of(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
