// SPDX-License-Identifier: Apache-2.0
// What each rank of a run's launches worked, where it was, and the most memory that ranks held.
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

// The most memory that ranks of a folder's runs held, by its database.

/// Bytes of the largest rank by run, of the launch that gave its result: on CPUs a process'
/// resident memory, on GPUs what the allocator had reserved. Runs whose records do not say it are
/// not there. Throws base::RunError where the database cannot be used.
std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder);

// What each rank of a run's launches worked, and where it was.

class RankReader {
 public:
  explicit RankReader(SQLite::Database& database);
  ~RankReader();
  RankReader(const RankReader&) = delete;
  RankReader& operator=(const RankReader&) = delete;

  /// The launches that recorded it, the first first.
  std::vector<LaunchRanks> launches_of(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
