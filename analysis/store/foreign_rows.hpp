// SPDX-License-Identifier: Apache-2.0
// Writes and reads the database rows of third-party logs that are not records of a training run.
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

// Database rows of third-party logs in addition to training records: results of collective
// benchmarks and jobs in batch-system accounting.

class ForeignRows {
 public:
  explicit ForeignRows(SQLite::Database& database);
  ~ForeignRows();
  ForeignRows(const ForeignRows&) = delete;
  ForeignRows& operator=(const ForeignRows&) = delete;

  /// Inserts the rows of a launch. RecordRows::replace_launch must have replaced the launch's other
  /// rows just before.
  void insert(const LaunchKey& key, const LogContent& content);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

// Reader of the rows of third-party logs without training: jobs in batch-system accounting and
// benchmarks of collectives.

class ForeignReader {
 public:
  /// Reads the current rows of the tables `job` and `collective`. Both tables are empty in most
  /// studies.
  explicit ForeignReader(SQLite::Database& database);

  /// Fills `run.job` and `run.collectives`.
  void read(RunRow& run);

 private:
  std::unordered_map<std::string, JobRow> jobs_;  ///< accounting data by run id
  std::unordered_map<std::string, std::vector<CollectiveRow>> collectives_;
};

}  // namespace dlscale::analysis
