// SPDX-License-Identifier: Apache-2.0
// Storage of checkpoints in the folder of a launch. Even after a crash in the middle of a write,
// every folder with the name of a checkpoint contains a complete checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "contract/records/checkpoint.hpp"

namespace dlscale::trainer {

// Files that survive a crash of the machine after they are closed. Their size and checksum are
// recorded, so that damage is detected.

/// A new file that is written once, from start to end. Every member function throws base::RunError
/// if a system call fails, for example because the disk is full.
class StateFile {
 public:
  explicit StateFile(const std::filesystem::path& path);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  void append(std::string_view bytes);
  /// Flushes the file to disk and closes it. Returns its name, size in bytes and CRC-32.
  contract::SavedFile close();

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::int64_t bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

/// Flushes the entries of a folder to disk, so that new file names survive a crash of the machine.
/// Throws base::RunError on failure.
void sync_folder(const std::filesystem::path& folder);

/// Returns the content of `file` in `folder`. Throws base::RunError if the size or the checksum of
/// the content differs from the values in `file`.
std::string read_saved(const std::filesystem::path& folder, const contract::SavedFile& file);

struct Saved {
  std::string path;  ///< path relative to the folder of the launch
  std::int64_t bytes = 0;
};

/// Creates the draft folder for the next checkpoint of a launch. The files of the checkpoint are
/// written to this folder, which gets its final name at the end. Throws base::RunError on failure.
contract::CheckpointDir begin_checkpoint(const contract::LaunchDir& launch);

/// Writes the file of one rank to the draft folder. `write_state` appends the content piece by
/// piece. Returns when the file is on disk. Throws base::RunError on failure.
contract::SavedFile write_rank_file(const contract::CheckpointDir& next, int rank,
                                    const std::function<void(StateFile& file)>& write_state);

/// Input of finish_checkpoint(). All ranks must have written their files before the call of
/// finish_checkpoint().
struct CheckpointEnd {
  contract::LaunchDir launch;
  contract::CheckpointDir next;
  contract::CheckpointHeader header;  ///< header, including the list of rank files
  int keep = 1;                       ///< number of checkpoints to keep, including this one
  std::vector<contract::LaunchDir> earlier = {};  ///< launches before this one, in order
};

/// Writes the header, waits until all files of the draft folder are on disk, and renames the folder
/// to its final name. Then deletes the oldest checkpoints until `end.keep` checkpoints remain. On
/// failure, throws base::RunError and keeps all older checkpoints.
Saved finish_checkpoint(const CheckpointEnd& end);

/// Deletes the draft folder of a checkpoint that will not be finished.
void abandon_checkpoint(const contract::CheckpointDir& next);

/// Deletes all checkpoints of a launch. Ignores files that cannot be deleted.
void delete_checkpoints(const contract::LaunchDir& launch);

/// A checkpoint that restore_newest() restored.
struct FoundCheckpoint {
  contract::LaunchDir launch;
  contract::CheckpointHeader header;
};

/// Properties of the run that restore_newest() needs to find and restore a checkpoint.
struct CheckpointSearch {
  int world_size = 1;
  std::string description_hash;  ///< required hash of the run description in the checkpoint
  const contract::RunDir& folder;
  int launch = 1;  ///< number of the current launch
  /// Function that reads the files of a checkpoint and restores the state of the trainer. Throws
  /// base::Error if the state cannot be restored.
  std::function<void(const contract::CheckpointDir&, const contract::CheckpointHeader&)> restore;
  std::function<void(const std::string& line)> warn;
};

/// Restores the newest usable checkpoint from the earlier launches of the run. The function
/// searches the launches from the newest to the oldest and stops at a launch that completed or
/// diverged. A new launch resumes neither a completed or diverged launch nor the launches before
/// that launch. A checkpoint that is damaged or belongs to another run description is skipped and
/// reported through `search.warn`. Returns nullopt if there is no usable checkpoint.
std::optional<FoundCheckpoint> restore_newest(const CheckpointSearch& search);

}  // namespace dlscale::trainer
