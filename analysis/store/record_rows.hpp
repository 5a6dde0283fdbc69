// SPDX-License-Identifier: Apache-2.0
// The records of one launch, and one run description, as rows of the database.
#pragma once

#include <string>

#include "contract/plan.hpp"
#include "contract/result_record.hpp"
#include "contract/run_spec.hpp"

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

/// Replaces the rows of a run; its launches are left alone.
void replace_run(SQLite::Database& database, const contract::RunSpec& spec,
                 const std::string& source);

/// Makes the rows of a run whose description cannot be read of what the plan knows; its framework
/// stays NULL.
void insert_unreadable_run(SQLite::Database& database, const contract::PlannedRun& run,
                           const std::string& source);

/// Deletes the rows of all runs made by insert_unreadable_run.
void delete_unreadable_runs(SQLite::Database& database);

/// Replaces the rows of a launch by those of `file`.
void replace_launch(SQLite::Database& database, const LaunchKey& key,
                    const contract::ResultsFile& file);

/// Deletes the rows of a launch.
void delete_launch(SQLite::Database& database, const std::string& run_id, int launch);
/// Deletes the rows of a run; its launches are left alone.
void delete_run(SQLite::Database& database, const std::string& run_id);

}  // namespace dlscale::analysis
