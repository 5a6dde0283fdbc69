// SPDX-License-Identifier: Apache-2.0
// What logs that train nothing say of their runs: jobs in the books of batch systems, and
// benchmarks of collectives.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/frame.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

class ForeignReader {
 public:
  /// Reads the tables `job` and `collective` as they are now: in most studies they are empty.
  explicit ForeignReader(SQLite::Database& database);

  /// Fills a run's job and collectives.
  void read(RunRow& run);

 private:
  std::unordered_map<std::string, JobRow> jobs_;  ///< by run id
  std::unordered_map<std::string, std::vector<CollectiveRow>> collectives_;
};

}  // namespace dlscale::analysis
