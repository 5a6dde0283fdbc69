// SPDX-License-Identifier: Apache-2.0
// What lies in a plan folder, by kind, in inodes and bytes: quotas count both. Links are not
// followed: what they lead to lies elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/selection.hpp"
#include "contract/plan.hpp"
#include "contract/run_dir.hpp"
#include "runner/job_state.hpp"

namespace dlscale::cli {

struct Size {
  std::uint64_t inodes = 0;
  std::uint64_t bytes = 0;  ///< that the file system sets aside, as du counts them
  Size& operator+=(const Size& other) {
    inodes += other.inodes;
    bytes += other.bytes;
    return *this;
  }
};

/// "1.2 GB", of 10^9 bytes.
std::string size_text(std::uint64_t bytes);

/// A kind of files, in the order they are listed.
enum class FileKind {
  checkpoints,
  launches,
  results,
  logs,
  tables,
  figures,
  database,
  plan,
  other
};

struct FileKindRow {
  FileKind kind;
  const char* name;
  const char* holds;  ///< in words
  bool cleanable;     ///< `dlscale clean --what` takes it
};
const std::vector<FileKindRow>& file_kinds();

/// True for the runs that have completed.
using IsDone = std::function<bool(const std::string& run_id)>;

/// All of the folder by kind, in the order of file_kinds().
std::vector<Size> inventory(const contract::PlanDir& folder, const IsDone& is_done);

/// Something to delete: a file, a link, or a folder with all it holds.
struct CleanTarget {
  FileKind kind;
  std::filesystem::path path;
  Size size;
  bool is_link = false;
};

/// What may be cleaned, and of which runs.
struct CleanChoice {
  std::set<FileKind> kinds;
  RunIds runs;  ///< selected
  std::function<runner::JobState(const std::string& run_id)> state_of;
  bool states_chosen = false;  ///< by the user, who then means what runs would go on from, too
};

/// Files of runs that wait or run are none, whatever is chosen. What runs go on from, checkpoints
/// of those not completed and launches of preempted ones, only where their state was asked for.
/// Tables, figures and the database are of all runs; a job's output is when all of its runs are
/// selected.
std::vector<CleanTarget> clean_targets(const contract::Plan& plan, const contract::PlanDir& folder,
                                       const CleanChoice& choice);

}  // namespace dlscale::cli
