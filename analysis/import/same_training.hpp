// SPDX-License-Identifier: Apache-2.0
// Finds the logs that describe the same training and joins them to one run.
// A training leaves several files: checkpoints with the beginning of the training's history, a
// summary next to the log, and copies of these files. If each file became a run, the files would
// look like repetitions, confidence intervals would be too narrow and means would be wrong.
// The content of logs shows whether they describe the same training. Logs of one format must have
// the same entries from the first entry on. Logs of different formats must have the same
// evaluations. A program may write its log and its summary to unrelated folders, so evaluations are
// compared within the whole import. The farther apart the folders, the more evaluations must be
// equal. Paths alone never decide, because a folder may contain logs of different trainings. Axes
// stated by the user take precedence: logs with different axes are different runs.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"

namespace dlscale::analysis {

/// Run of the plan folder to which an earlier import joined a log, because the run and the log
/// describe the same training.
struct CompanionOf {
  std::string owner;  ///< path of the log from which the run was made
  std::string owner_sha256;
  Companion companion;
};

/// Returns the run to which a log belonged when the log was last read. Returns nothing if the log
/// did not belong to another run, or if its size, time or reading method has changed.
std::optional<CompanionOf> find_owner(const ImportedPlan& before, const ImportRecord& log);

/// Returns true if the axes of the two runs do not conflict.
bool agree(const ImportedRun& a, const ImportedRun& b);

/// Returns true if a log is read with the same format and mapping as in the earlier import.
bool is_read_alike(const ImportRecord& now, const ImportRecord& then);

/// Runs that remain after an import, and the runs that were joined to them.
struct JoinedRuns {
  std::vector<ImportedRun> runs;    ///< runs, one for each training, in their original order
  std::vector<ImportedRun> joined;  ///< runs that were joined to another run
  std::vector<std::string> notes;   ///< owner and reason for each entry of `joined`
  std::set<std::string> paths;      ///< paths of logs without a separate run
  std::vector<std::string> copies;  ///< equal files that the user states to be different runs
};

/// Joins the runs of the same training. `before` is the content of the plan folder before the
/// import. The runs of `before` are also compared with `runs`. Among the logs of a training, the
/// longest log with rates keeps its run, and the other logs become companions of this run.
JoinedRuns join_trainings(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
