// SPDX-License-Identifier: Apache-2.0
// Logs of other programs as runs of a plan folder.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/import/mapped_format.hpp"
#include "analysis/import/skipped_log.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct ImportRequest {
  std::vector<std::string> logs;      ///< files and folders
  std::string format;                 ///< of all of them; empty: as each is recognised
  MappedFormat mapped;                ///< kind empty: none
  std::vector<std::string> axes;      ///< "name=REGEX"
  std::vector<std::string> stated;    ///< "name=value"
  std::vector<std::string> defaults;  ///< likewise, where nothing else says it
  std::string table;                  ///< CSV file; empty: none
  std::string study;                  ///< empty: as before, or the folder's name
  std::string scaling;                ///< empty: as before, or throughput
};

struct ImportSummary {
  int logs = 0;  ///< that are runs now
  int runs = 0;  ///< of these logs
  int added = 0, changed = 0, unchanged = 0;
  std::map<std::string, int> formats;  ///< logs of each
  std::vector<SkippedLog> skipped;     ///< files, and runs of files, that are not imported
  std::vector<std::string> joined;     ///< logs that belong to the training of another, and why
  std::vector<std::string> warnings;   ///< conflicts of axes, equal files

  /// False when something that was to be imported was skipped.
  bool is_complete() const { return !has_failure(skipped); }
};

/// True of a log, by its path, to which certainly nothing has happened since it was collected.
using IsUnchanged = std::function<bool(const std::string&)>;

/// Makes the logs runs of `folder`, which is made unless it is there: plan.json, and for each run
/// run.json and launch-1/import.json. Logs that the folder has stay as they are, unless they or
/// what is said of them have changed: those that have not are not read again; of one with the size
/// and time that it had, unless `is_unchanged` is sure of it, the SHA-256 decides. Several
/// processes may do this at once. A log that cannot be a run is skipped with the
/// reason, and the others are imported. Throws base::UsageError, with nothing written, when no log
/// can be a run, and when the folder is a plan of runs to be done.
ImportSummary import_logs(const ImportRequest& request, const contract::PlanDir& folder,
                          const IsUnchanged& is_unchanged = {});

}  // namespace dlscale::analysis
