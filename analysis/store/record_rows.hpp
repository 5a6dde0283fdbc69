// SPDX-License-Identifier: Apache-2.0
// The records of one launch, and one run description, as rows of the database.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Which launch, and the path of its results relative to the plan folder.
struct LaunchKey {
  std::string run_id;
  int launch = 1;
  std::string source;
};

/// Runs, and launches of runs, that have rows.
struct KnownRows {
  std::unordered_set<std::string> runs = {};
  std::unordered_map<std::string, std::vector<int>> launches = {};
};

/// Writes records to their tables. Statements are prepared once: parsing SQL for each of ten
/// thousand runs would take longer than running it.
class RecordRows {
 public:
  explicit RecordRows(SQLite::Database& database);
  ~RecordRows();
  RecordRows(const RecordRows&) = delete;
  RecordRows& operator=(const RecordRows&) = delete;

  const KnownRows& known() const;
  /// Replaces the rows of a run; its launches are left alone.
  void replace_run(const contract::RunSpec& spec, const std::string& source);
  /// Makes the rows of a run whose description cannot be read of what the plan knows; its framework
  /// stays NULL.
  void insert_unreadable_run(const contract::PlannedRun& run, const std::string& source);
  /// Deletes the rows of all runs made by insert_unreadable_run.
  void delete_unreadable_runs();
  /// Replaces the rows of a launch by those of `file`.
  void replace_launch(const LaunchKey& key, const contract::ResultsFile& file);
  void delete_launch(const std::string& run_id, int launch);
  /// Deletes the rows of a run; its launches are left alone.
  void delete_run(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
