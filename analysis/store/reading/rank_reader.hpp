// SPDX-License-Identifier: Apache-2.0
// Reads the work times, the hosts and the peak memory of the ranks of runs from the database.
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

// Peak memory of each run of a plan folder.

/// Returns the peak memory in bytes of each run, by run id: the peak of the rank that used the most
/// memory in the launch that gave the run's result. On CPUs, this is the peak resident memory of a
/// process. On GPUs, it is the peak of the memory that the allocator had reserved. Runs without
/// recorded memory are left out. Throws base::RunError if the database cannot be used.
std::map<std::string, double> read_peak_memory(const contract::PlanDir& folder);

// Reader of the work times and the hosts of all ranks in the launches of a run.

class RankReader {
 public:
  explicit RankReader(SQLite::Database& database);
  ~RankReader();
  RankReader(const RankReader&) = delete;
  RankReader& operator=(const RankReader&) = delete;

  /// Returns the launches of the run that recorded the work times of their ranks, by ascending
  /// launch number.
  std::vector<LaunchRanks> launches_of(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
