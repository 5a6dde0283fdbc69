// SPDX-License-Identifier: Apache-2.0
// Writes the records of a launch and the description of a run as rows of the database.
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

/// Launch of a run, and the path of the launch's results relative to the plan folder.
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

/// Writer of records to their tables. Statements are prepared once, because parsing SQL for each of
/// ten thousand runs would take longer than running it.
class RecordRows {
 public:
  explicit RecordRows(SQLite::Database& database);
  ~RecordRows();
  RecordRows(const RecordRows&) = delete;
  RecordRows& operator=(const RecordRows&) = delete;

  const KnownRows& known() const;
  /// Replaces the rows of a run. The rows of its launches stay unchanged.
  void replace_run(const contract::RunSpec& spec, const std::string& source);
  /// Inserts the rows of a run whose description cannot be read, from the data of the plan. The
  /// framework stays NULL.
  void insert_unreadable_run(const contract::PlannedRun& run, const std::string& source);
  /// Deletes the rows of all runs that insert_unreadable_run inserted.
  void delete_unreadable_runs();
  /// Replaces the rows of a launch by the records of `file`.
  void replace_launch(const LaunchKey& key, const contract::ResultsFile& file);
  void delete_launch(const std::string& run_id, int launch);
  /// Deletes the rows of a run. The rows of its launches stay unchanged.
  void delete_run(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
