// SPDX-License-Identifier: Apache-2.0
// Imports logs of other programs as runs of a plan folder, which describes all runs of a study.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/import/described_format.hpp"
#include "analysis/import/mapped/mapped_format.hpp"
#include "analysis/import/skipped_log.hpp"
#include "base/error.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

struct ImportRequest {
  std::vector<std::string> logs;  ///< log files and folders
  std::string format;             ///< format of all logs; empty: detected for each log
  MappedFormat mapped;            ///< mapping of columns, or patterns; none if its kind is empty
  std::vector<base::Location> pattern_places = {};  ///< places of the patterns in their file
  /// Format that the user describes in a file, for all logs. Null if the user gives no such file.
  std::shared_ptr<const DescribedFormat> described = nullptr;
  std::vector<std::string> axes;      ///< axes from paths, "name=REGEX"
  std::vector<std::string> stated;    ///< axes stated on the command line, "name=value"
  std::vector<std::string> defaults;  ///< default values of axes, "name=value"
  std::string table;                  ///< CSV file with axes; empty: none
  std::string study;    ///< study name; empty: keep the plan's name, or use the folder's name
  std::string scaling;  ///< scaling mode; empty: keep the plan's mode, or use throughput
};

struct ImportSummary {
  int logs = 0;  ///< number of logs with at least one run
  int runs = 0;  ///< number of runs from these logs
  int added = 0, changed = 0, unchanged = 0;
  std::map<std::string, int> formats;  ///< number of logs of each format
  std::vector<SkippedLog> skipped;     ///< files, and runs within files, that are not imported
  std::vector<std::string> joined;     ///< logs joined to the training of another log, with reason
  std::vector<std::string> warnings;   ///< messages about conflicting axes and equal files

  /// Returns false if the import skipped a log that it should have imported.
  bool is_complete() const { return !has_failure(skipped); }
};

/// Function that returns true if the log with this path has certainly not changed since it was
/// collected.
using IsUnchanged = std::function<bool(const std::string&)>;

/// Imports the logs as runs of `folder` and creates the folder if needed. Writes plan.json, and for
/// each run run.json and launch-1/import.json.
/// - A log that an earlier import recorded in the folder is read again only if the log changed. A
///   log with the same size and modification time counts as unchanged if `is_unchanged` returns
///   true for it or if its SHA-256 is the same.
/// - A run is updated if its log or its stated axes changed.
/// - A log that cannot become a run is skipped with the reason, and the import continues.
/// - Several processes may import into one folder at the same time.
/// Throws base::UsageError and writes nothing if no log can become a run, or if the folder contains
/// a plan of runs that dlscale executes itself.
ImportSummary import_logs(const ImportRequest& request, const contract::PlanDir& folder,
                          const IsUnchanged& is_unchanged = {});

}  // namespace dlscale::analysis
