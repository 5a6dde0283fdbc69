// SPDX-License-Identifier: Apache-2.0
// Writes the descriptions of runs and the records of launches to the tables of the database.
#pragma once

#include <map>
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

/// Identity of a launch: its run, its number, and the path of its results file (`source`). The path
/// is relative to the plan folder.
struct LaunchKey {
  std::string run_id;
  int launch = 1;
  std::string source;
};

/// Ids of the runs that have rows in the database, and numbers of the launches that have rows, by
/// run id.
struct KnownRows {
  std::unordered_set<std::string> runs = {};
  std::unordered_map<std::string, std::vector<int>> launches = {};
};

/// Writer of runs and launches to the database. SQL statements are prepared once, because parsing
/// them again for each of ten thousand runs would take longer than executing them.
class RecordRows {
 public:
  explicit RecordRows(SQLite::Database& database);
  ~RecordRows();
  RecordRows(const RecordRows&) = delete;
  RecordRows& operator=(const RecordRows&) = delete;

  const KnownRows& known() const;
  /// Replaces the rows that describe a run. The rows of the run's launches stay unchanged.
  void replace_run(const contract::RunSpec& spec, const std::string& source);
  /// Inserts the rows of a run whose description cannot be read. The values come from the plan. The
  /// column `framework` stays NULL, which marks such a run.
  void insert_unreadable_run(const contract::PlannedRun& run, const std::string& source);
  /// Deletes all rows that insert_unreadable_run inserted, also in earlier collects.
  void delete_unreadable_runs();
  /// Deletes all rows of a launch and writes the records of `file` instead. `printed` are entries
  /// of the launch's environment that its output contains. Recorded entries have priority.
  void replace_launch(const LaunchKey& key, const contract::ResultsFile& file,
                      const std::map<std::string, std::string>& printed = {});
  void delete_launch(const std::string& run_id, int launch);
  /// Deletes the rows that describe a run. The rows of the run's launches stay unchanged.
  void delete_run(const std::string& run_id);

 private:
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace dlscale::analysis
