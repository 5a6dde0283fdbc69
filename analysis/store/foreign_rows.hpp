// SPDX-License-Identifier: Apache-2.0
// Writes and reads the database rows of third-party logs that do not record a training: results of
// collective benchmarks and jobs in the accounting of a batch system.
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

// Writer of the tables `collective` (results of collective benchmarks) and `job` (batch-system
// accounting).

class ForeignRows {
 public:
  explicit ForeignRows(SQLite::Database& database);
  ~ForeignRows();
  ForeignRows(const ForeignRows&) = delete;
  ForeignRows& operator=(const ForeignRows&) = delete;

  /// Inserts the rows of a launch. RecordRows::replace_launch must be called first, because it
  /// deletes the earlier rows of the launch.
  void insert(const LaunchKey& key, const LogContent& content);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

// Reader of the tables `job` (batch-system accounting) and `collective` (results of collective
// benchmarks).

class ForeignReader {
 public:
  /// Reads all rows of the tables `job` and `collective`. In most studies both tables are empty.
  explicit ForeignReader(SQLite::Database& database);

  /// Fills `run.job` and `run.collectives`.
  void read(RunRow& run);

 private:
  std::unordered_map<std::string, JobRow> jobs_;  ///< accounting data by run id
  std::unordered_map<std::string, std::vector<CollectiveRow>> collectives_;
};

}  // namespace dlscale::analysis
