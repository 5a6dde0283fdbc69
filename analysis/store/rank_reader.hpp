// SPDX-License-Identifier: Apache-2.0
// What each rank of a run's launches worked, and where it was.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/frame.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

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
