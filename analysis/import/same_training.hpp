// SPDX-License-Identifier: Apache-2.0
// Finds the logs that describe one training, so that they make one run.
// A training leaves more than one file: checkpoints that hold the beginning of its history, a
// summary next to its log, copies. Counted each for itself they look like repetitions, which makes
// intervals too narrow and means wrong. The content decides: logs of one format hold the same
// entries from the first on, logs of different formats the same evaluations. A program may write
// its log and its summary into folders that have nothing to do with each other, so that evaluations
// are compared in the whole import; the farther the folders, the more of them must be equal. Paths
// alone never decide, because folders also hold logs of different trainings. What the user states
// about the logs counts before all of it: logs with different axes are different runs.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"

namespace dlscale::analysis {

/// A run of the folder that a log belongs to, as another log of the same training.
struct CompanionOf {
  std::string owner;  ///< path of the log of the run
  std::string owner_sha256;
  Companion companion;
};

/// Finds the run that a log belonged to when it was read last; nothing if it belonged to none, or
/// has another size, time or way to be read since.
std::optional<CompanionOf> find_owner(const ImportedPlan& before, const ImportRecord& log);

/// Whether the user and the logs state nothing that the two runs differ in.
bool agree(const ImportedRun& a, const ImportedRun& b);

/// Whether a log is to be read in the way that it was read then.
bool is_read_alike(const ImportRecord& now, const ImportRecord& then);

/// The runs of an import that are left, and what became of the others.
struct JoinedRuns {
  std::vector<ImportedRun> runs;    ///< one for each training, in the order that they had
  std::vector<ImportedRun> joined;  ///< those that belong to a run of `runs` or of the folder
  std::vector<std::string> notes;   ///< one for each of `joined`: to which log it belongs, and why
  std::set<std::string> paths;      ///< logs that are runs of their own no more
  std::vector<std::string> copies;  ///< equal files that the user states to be different runs
};

/// Joins the runs of one training. `before` is what the folder has: its runs of other logs are
/// compared, too. The longest log with rates stays, and records the others as its companions.
JoinedRuns join_trainings(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
