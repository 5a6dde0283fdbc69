// SPDX-License-Identifier: Apache-2.0
// Updates the database of a plan folder from the files in the folder.
//
// A study may have ten thousand runs, and a collect must be fast when few of their files have
// changed. The table `source` therefore stores the state of each file (sources.hpp), and only new
// and changed files are read. Other threads read and parse these files ahead of the single database
// writer (read_ahead.hpp). A rebuild writes a new database next to the old one and replaces the old
// one at the end, so readers always see a complete database. Writers wait for each other at a lock
// file (collect_lock.hpp), because SQLite's own lock is on the file that a rebuild replaces.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct IngestSummary {
  int launches = 0;    ///< number of existing launches
  int files_read = 0;  ///< number of new and changed files
  int files_unchanged = 0;
  bool wrote = false;                  ///< true if the database was written because of changes
  bool other_version = false;          ///< true if another version's database was rebuilt
  std::vector<std::string> truncated;  ///< results files whose last line is incomplete
  /// Problems of files that could not be read, "path: message" each. All other files were
  /// processed.
  std::vector<std::string> problems;
  std::vector<std::string> unplanned;  ///< runs with results that the plan no longer has
};

/// Updates `results.sqlite` to match the folder. Files that have not changed (by size, times and
/// inode, else by SHA-256) are not read again. Rows of files that no longer exist are deleted. With
/// `rebuild`, or if another version of dlscale made the database, a new database is built next to
/// the existing file, whatever that file contains, and replaces it when complete. Several processes
/// may call this function at the same time, and each waits for the others. Throws base::UsageError
/// when there is no plan.json, base::SpecError when plan.json is broken, and base::RunError when
/// the database cannot be used or written. The database is unchanged after an error.
IngestSummary ingest(const contract::PlanDir& folder, bool rebuild = false);

}  // namespace dlscale::analysis
