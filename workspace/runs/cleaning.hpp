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

/// A file, a link, or a folder with its content, to delete.
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
  Size size;  ///< of all of them
};

/// Targets in the order of file_kinds(), without empty kinds.
std::vector<TargetsOfKind> by_kind(const std::vector<CleanTarget>& targets);

/// Kinds and runs to clean.
struct CleanChoice {
  std::set<FileKind> kinds;
  RunIds runs;  ///< selected
  const runner::States& states;
  /// states given by the user, which also include the files for resuming
  bool states_chosen = false;
};

/// Returns the valid kinds of `dlscale clean --what`.
std::vector<std::string> cleanable_names();
/// Returns the kinds with these names. Throws base::UsageError for a word that is not a kind of
/// files to clean.
std::set<FileKind> cleanable_kinds(const std::vector<std::string>& words);

/// Returns the targets. Files of waiting or running runs are never included. Files for resuming
/// (checkpoints of incomplete runs, launches of preempted runs) are included only if their state
/// was given. Tables, figures and the database belong to all runs, and the output of a job to its
/// runs together.
std::vector<CleanTarget> clean_targets(const contract::Plan& plan, const contract::PlanDir& folder,
                                       const CleanChoice& choice);

/// Deletes the targets. Locks the launch log if a launcher may be about to resume from one of them.
/// Throws base::RunError if the log is locked or a target cannot be deleted.
void delete_targets(const std::vector<CleanTarget>& targets, const CleanChoice& choice,
                    const contract::PlanDir& folder);

}  // namespace dlscale::workspace
