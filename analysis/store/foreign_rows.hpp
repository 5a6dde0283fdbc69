// SPDX-License-Identifier: Apache-2.0
// What logs of other programs have beside records of a training: into the database and out of it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/import/reading/log_format.hpp"
#include "analysis/store/record_rows.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

// What logs of other programs have beside records of a training, as rows of the database: results
// of collectives, jobs in a batch system's books.

class ForeignRows {
 public:
  explicit ForeignRows(SQLite::Database& database);
  ~ForeignRows();
  ForeignRows(const ForeignRows&) = delete;
  ForeignRows& operator=(const ForeignRows&) = delete;

  /// Writes those of a launch whose rows RecordRows::replace_launch has just replaced.
  void insert(const LaunchKey& key, const LogContent& content);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

// What logs that train nothing say of their runs: jobs in the books of batch systems, and
// benchmarks of collectives.

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
