// SPDX-License-Identifier: Apache-2.0
// Updates the database of a plan folder from the files in the folder.
//
// A study may have ten thousand runs, and `dlscale collect` must be fast if only a few of their
// files have changed. The database table `source` therefore stores the state of each file
// (sources.hpp), and only new and changed files are read. Several threads read and parse these
// files ahead of the single thread that writes the database (read_ahead.hpp). A rebuild writes a
// new database next to the old one and replaces the old one at the end, so readers always see a
// complete database. Writers take turns with a separate lock file (collect_lock.hpp). SQLite's own
// lock is not enough, because it is on the file that a rebuild replaces.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct IngestSummary {
  int launches = 0;    ///< number of launches that exist in the folder
  int files_read = 0;  ///< number of new and changed files, which were read
  int files_unchanged = 0;
  bool wrote = false;          ///< true if the database was written, because files had changed
  bool other_version = false;  ///< true if the database had another schema version and was rebuilt
  std::vector<std::string> truncated;  ///< results files whose last line is incomplete
  /// Problems of files that could not be read or were ignored, in the form "path: message". All
  /// other files were processed.
  std::vector<std::string> problems;
  /// Ids of runs that have results but are no longer in the plan.
  std::vector<std::string> unplanned;
  /// Indices of the patterns of the study that read no line in the log of any completed launch.
  std::set<std::size_t> unused_patterns;
};

/// Updates `results.sqlite` to match the files of the plan folder:
/// - A file whose size, times and inode are unchanged is not read again. A file whose SHA-256
///   digest is unchanged is not parsed again.
/// - The rows of files that no longer exist are deleted.
/// - With `rebuild`, or if another version of dlscale made the database, a new database is built
///   and then replaces the existing file, whatever that file contains.
/// Several processes may call this function at the same time. They run one after the other. Throws
/// base::UsageError if there is no plan.json, base::SpecError if plan.json is broken, and
/// base::RunError if the database cannot be used or written. The database is unchanged after an
/// error.
IngestSummary ingest(const contract::PlanDir& folder, bool rebuild = false);

}  // namespace dlscale::analysis
