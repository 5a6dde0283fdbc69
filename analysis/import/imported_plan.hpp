// SPDX-License-Identifier: Apache-2.0
// Reads and writes the plan folder of imported runs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/import_logs.hpp"
#include "analysis/import/import_record.hpp"
#include "analysis/import/training_trace.hpp"
#include "contract/plan/plan.hpp"

namespace dlscale::analysis {

/// Run of a log that is about to be written to the plan folder.
struct ImportedRun {
  ImportRecord record;
  contract::RunSpec spec;  ///< run description without id and repetition
  std::string shown;       ///< log path as the user named it
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string reason;
  int repetition = 0;  ///< stated repetition; 0: the next free repetition of the point
  std::optional<TrainingTrace> trace;  ///< trace; absent if this import did not read the log
  std::vector<ImportRecord> later;     ///< logs of the following launches, which continue this log
};

/// Imported run that the plan folder already contains.
struct KnownRun {
  std::string run_id;
  ImportRecord record;
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string reason;
};

struct ImportedPlan {
  std::string study;  ///< study name; empty: the folder has no plan yet
  std::string scaling;
  std::vector<contract::PlannedRun> runs;
  std::multimap<std::string, KnownRun> by_path;  ///< known runs by the path of their log
};

/// Name of the scheduler in plans of imported runs, which cannot be submitted.
inline constexpr const char* kImportedScheduler = "none";

/// Returns true if import_logs created the plan.
bool holds_imported_runs(const contract::Plan& plan);

/// Reads the plan folder. Throws base::UsageError if the folder contains a plan of runs that
/// dlscale executes itself.
ImportedPlan read_imported_plan(const contract::PlanDir& folder);

/// Returns the runs of the plan folder whose logs are not in `runs`. Only the fields that are
/// needed to compare runs are set.
std::vector<ImportedRun> runs_of_folder(const ImportedPlan& before,
                                        const std::vector<ImportedRun>& runs);

/// Returns the name of the folder, which is the study name if the user does not state one.
std::string default_study(const contract::PlanDir& folder);

/// Runs of the plan folder that other runs replace.
struct ReplacedRuns {
  std::set<std::string> paths;    ///< paths of logs whose runs were all joined to other runs
  std::set<std::string> run_ids;  ///< ids of single runs that are replaced
};

struct StudyNames {
  std::string study;    ///< study name; empty: keep the plan's name, or use default_study
  std::string scaling;  ///< scaling mode; empty: keep the plan's mode, or use throughput
};

/// Assigns repetitions and run ids to the runs and writes them to the plan folder. A run has one
/// launch for each of its logs.
/// Also removes the runs in `replaced`, and removes runs that an earlier import created from the
/// same logs if the logs no longer describe these runs. Holds a lock on the folder. Throws
/// base::UsageError and writes nothing if the user states the same repetition of the same point for
/// two logs.
void write_imported_runs(const contract::PlanDir& folder, const StudyNames& names,
                         const std::vector<ImportedRun>& runs, const ReplacedRuns& replaced,
                         ImportSummary& summary);

}  // namespace dlscale::analysis
