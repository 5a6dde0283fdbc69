// SPDX-License-Identifier: Apache-2.0
// Finds the logs that continue the training of another log, and makes them launches of its run.
// A training that was resumed from a checkpoint may write a new file: one for each job, or one for
// each start of the program. Counted each for itself the files look like repetitions. A log
// continues another one if it begins where the other one ends, in the same folder and with the same
// axes. Its run then has several launches, like a run of dlscale-train that was interrupted: what
// the later launch did again counts once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"

namespace dlscale::analysis {

struct ContinuedTrainings {
  std::vector<ImportedRun> runs;      ///< one for each training, in the order that they had
  std::vector<std::string> notes;     ///< which logs continue which others
  std::vector<ImportedRun> unclear;   ///< logs of which several others may be the beginning
  std::vector<std::string> problems;  ///< one for each of `unclear`
  std::set<std::string> paths;        ///< logs that are runs of their own no more
};

/// Joins the runs of logs that continue each other. `before` is what the folder has: a log that
/// continues one that only the folder has is unclear, too, until both are collected together.
ContinuedTrainings join_continued(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
