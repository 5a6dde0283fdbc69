// SPDX-License-Identifier: Apache-2.0
// Finds files of a plan folder that may be deleted, and deletes them.
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

/// Path to delete: a file, a link, or a folder with its content.
struct CleanTarget {
  FileKind kind;
  std::filesystem::path path;
  Size size;
  bool is_link = false;
};

/// Targets of one kind of files.
struct TargetsOfKind {
  const char* kind;
  std::vector<const CleanTarget*> targets;
  Size size;  ///< total size of the targets
};

/// Groups the targets by kind, in the order of file_kinds(). Kinds without a target are left out.
std::vector<TargetsOfKind> by_kind(const std::vector<CleanTarget>& targets);

/// Selection of the kinds of files and the runs to clean.
struct CleanChoice {
  std::set<FileKind> kinds;
  RunIds runs;  ///< selected runs
  const runner::States& states;
  /// True if the user selected states. Files that are needed to resume the selected runs are then
  /// deleted as well.
  bool states_chosen = false;
};

/// Returns the names that `dlscale clean --what` accepts.
std::vector<std::string> cleanable_names();
/// Returns the kinds with these names. Throws base::UsageError for a word that `dlscale clean
/// --what` does not accept.
std::set<FileKind> cleanable_kinds(const std::vector<std::string>& words);

/// Returns the paths to delete:
/// - Files of waiting or running runs are never included.
/// - Files for resuming (checkpoints of incomplete runs, launches of preempted runs) are included
///   only if the user selected states.
/// - Tables, figures and the database belong to all runs.
/// - The output of a job is included only if all its runs are selected and have ended.
std::vector<CleanTarget> clean_targets(const contract::Plan& plan, const contract::PlanDir& folder,
                                       const CleanChoice& choice);

/// Deletes the targets. Locks the launch log if a launcher could otherwise resume from one of the
/// targets. Throws base::RunError if another process holds the log or a target cannot be deleted.
void delete_targets(const std::vector<CleanTarget>& targets, const CleanChoice& choice,
                    const contract::PlanDir& folder);

}  // namespace dlscale::workspace
