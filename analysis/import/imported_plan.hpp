// SPDX-License-Identifier: Apache-2.0
// The plan folder of runs that other programs did: what it holds, and how runs come into it.
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

/// A run of a log, on its way into the folder.
struct ImportedRun {
  ImportRecord record;
  contract::RunSpec spec;  ///< without id and repetition
  std::string shown;       ///< the log as the user named it
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string reason;
  int repetition = 0;                  ///< as somebody says; 0: the next of its point
  std::optional<TrainingTrace> trace;  ///< of a log that was read; nothing: it has not changed
  std::vector<ImportRecord> later;     ///< logs of the next launches, which continue this one
};

/// A run that the folder has.
struct KnownRun {
  std::string run_id;
  ImportRecord record;
  contract::RunOutcome outcome = contract::RunOutcome::Completed;
  std::string reason;
};

struct ImportedPlan {
  std::string study;  ///< empty: there is no plan yet
  std::string scaling;
  std::vector<contract::PlannedRun> runs;
  std::multimap<std::string, KnownRun> by_path;  ///< of the log
};

/// True of the plan of a folder that import_logs made.
bool holds_imported_runs(const contract::Plan& plan);

/// Throws base::UsageError when the folder is a plan of runs to be done.
ImportedPlan read_imported_plan(const contract::PlanDir& folder);

/// Returns the runs that the folder has of other logs than `runs`, with what is needed to compare
/// them.
std::vector<ImportedRun> runs_of_folder(const ImportedPlan& before,
                                        const std::vector<ImportedRun>& runs);

/// What a study is called that nobody gave a name: as its folder.
std::string default_study(const contract::PlanDir& folder);

/// Runs of the folder that others stand for from now on.
struct ReplacedRuns {
  std::set<std::string> paths;    ///< of logs all of whose runs belong to others
  std::set<std::string> run_ids;  ///< of single runs
};

struct StudyNames {
  std::string study;    ///< empty: as before, or default_study
  std::string scaling;  ///< empty: as before, or throughput
};

/// Gives the runs their repetitions and ids and writes them, each log as a launch. Runs of the same
/// logs that the folder had otherwise are gone then, and so are the runs `replaced`, which belong
/// to others. Holds a lock on the folder. Throws base::UsageError when two logs are told to be the
/// same repetition; nothing is written then.
void write_imported_runs(const contract::PlanDir& folder, const StudyNames& names,
                         const std::vector<ImportedRun>& runs, const ReplacedRuns& replaced,
                         ImportSummary& summary);

}  // namespace dlscale::analysis
