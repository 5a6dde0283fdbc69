// SPDX-License-Identifier: Apache-2.0
// What logs of other programs have beside records of a training, as rows of the database: results
// of collectives, jobs in a batch system's books.
#pragma once

#include <memory>

#include "analysis/import/reading/log_format.hpp"
#include "analysis/store/record_rows.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
