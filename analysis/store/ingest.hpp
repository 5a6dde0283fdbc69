// SPDX-License-Identifier: Apache-2.0
// A plan folder's files into its database.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct IngestSummary {
  int launches = 0;    ///< that exist
  int files_read = 0;  ///< new or changed
  int files_unchanged = 0;
  bool wrote = false;                  ///< the database; not where nothing has changed
  bool other_version = false;          ///< the database there was, which was made again
  std::vector<std::string> truncated;  ///< results files whose last line is incomplete
  /// What could not be read, "path: message" each; the rest was taken all the same.
  std::vector<std::string> problems;
  std::vector<std::string> unplanned;  ///< runs with results that the plan no longer has
};

/// Makes `results.sqlite` say what the folder says. Files that have not changed since (by size,
/// times and inode, else by SHA-256) are not read again; what is gone from the folder goes from the
/// database. With `rebuild`, or where another version of dlscale made the database, it is made anew
/// beside the one there is, whatever that is, and takes its place when it is whole. Several
/// processes may do both at a time; they wait for each other. Throws base::UsageError when there is
/// no plan.json, base::SpecError when it is broken, base::RunError when the database cannot be used
/// or written; the database is then as it was.
IngestSummary ingest(const contract::PlanDir& folder, bool rebuild = false);

}  // namespace dlscale::analysis
