// SPDX-License-Identifier: Apache-2.0
// Which files of a plan folder may be deleted, and deleting them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_state.hpp"
#include "workspace/runs/inventory.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Something to delete: a file, a link, or a folder with all it holds.
struct CleanTarget {
  FileKind kind;
  std::filesystem::path path;
  Size size;
  bool is_link = false;
};

/// What is to be deleted of one kind of files.
struct TargetsOfKind {
  const char* kind;
  std::vector<const CleanTarget*> targets;
  Size size;  ///< of all of them
};

/// In the order of file_kinds(), without kinds that no target is of.
std::vector<TargetsOfKind> by_kind(const std::vector<CleanTarget>& targets);

/// What may be cleaned, and of which runs.
struct CleanChoice {
  std::set<FileKind> kinds;
  RunIds runs;  ///< selected
  const runner::States& states;
  bool states_chosen = false;  ///< by the user, who then means what runs would go on from, too
};

/// The kinds that `dlscale clean --what` takes.
std::vector<std::string> cleanable_names();
/// Throws base::UsageError for a word that names no kind that may be cleaned.
std::set<FileKind> cleanable_kinds(const std::vector<std::string>& words);

/// Files of runs that wait or run are none, whatever is chosen. What runs go on from, checkpoints
/// of those not completed and launches of preempted ones, only where their state was asked for.
/// Tables, figures and the database are of all runs; a job's output is when all of its runs are
/// selected.
std::vector<CleanTarget> clean_targets(const contract::Plan& plan, const contract::PlanDir& folder,
                                       const CleanChoice& choice);

/// Deletes all of them. Where a launcher may be about to resume from one of them, the launch log is
/// locked meanwhile. Throws base::RunError where the log is taken or a target cannot be deleted.
void delete_targets(const std::vector<CleanTarget>& targets, const CleanChoice& choice,
                    const contract::PlanDir& folder);

}  // namespace dlscale::workspace
