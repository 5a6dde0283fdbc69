// SPDX-License-Identifier: Apache-2.0
// Finds logs that continue the training of another log and makes them further launches (attempts)
// of the run of that log.
// A training that resumes from a checkpoint may write a new log for each job or for each start of
// the program. If each log became a run, the logs would look like repetitions of one experiment. A
// log continues another log if it begins where the other log ends, lies in the same folder and has
// the same axes. The resulting run has several launches, like an interrupted run of dlscale-train.
// If a later launch repeats a step, the step is counted only once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"

namespace dlscale::analysis {

struct ContinuedTrainings {
  std::vector<ImportedRun> runs;      ///< runs, one for each training, in their original order
  std::vector<std::string> notes;     ///< messages that state which log continues which
  std::vector<ImportedRun> unclear;   ///< logs for which the continued log is unclear
  std::vector<std::string> problems;  ///< reasons, one for each entry of `unclear`
  std::set<std::string> paths;        ///< paths of logs that no longer have a run of their own
};

/// Makes the logs of resumed trainings count epochs like the logs that they continue, because a log
/// that begins with a later epoch does not show whether its epochs count from 0 or from 1. Reads
/// these logs again. Applies only to logs whose mapping does not state how epochs count.
void count_epochs_alike(std::vector<ImportedRun>& runs);

/// Joins the runs whose logs continue each other. `before` is the content of the plan folder before
/// the import. If a log continues a log that only the plan folder contains, the continuing log is
/// returned as unclear, and the user must import both logs together.
ContinuedTrainings join_continued(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
