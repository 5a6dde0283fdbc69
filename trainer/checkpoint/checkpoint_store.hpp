// SPDX-License-Identifier: Apache-2.0
// Storage of checkpoints in a launch's folder, such that a crash at any moment leaves only complete
// checkpoints.
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

// Files that are durable once closed and whose damage is detected by size and checksum.

/// A new file that is written once, from start to end. Every member throws base::RunError when a
/// system call fails, for example because the disk is full.
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

/// Flushes the entries of a folder to disk, so that new names survive a crash of the machine.
/// Throws base::RunError.
void sync_folder(const std::filesystem::path& folder);

/// Returns the content of `file` in `folder`. Throws base::RunError when the size or the checksum
/// differs from the recorded one.
std::string read_saved(const std::filesystem::path& folder, const contract::SavedFile& file);

struct Saved {
  std::string path;  ///< path relative to the folder of the launch
  std::int64_t bytes = 0;
};

/// Creates the draft folder for the next checkpoint of a launch. Throws base::RunError.
contract::CheckpointDir begin_checkpoint(const contract::LaunchDir& launch);

/// Writes the file of one rank into the draft folder, piece by piece. Returns when the file is on
/// disk. Throws base::RunError.
contract::SavedFile write_rank_file(const contract::CheckpointDir& next, int rank,
                                    const std::function<void(StateFile& file)>& write_state);

/// Input of finish_checkpoint(). Every rank has already written its file.
struct CheckpointEnd {
  contract::LaunchDir launch;
  contract::CheckpointDir next;
  contract::CheckpointHeader header;  ///< header, including the list of rank files
  int keep = 1;                       ///< number of newest checkpoints to keep, including this one
  std::vector<contract::LaunchDir> earlier = {};  ///< launches before this one, in order
};

/// Writes the header, renames the draft folder to its final name once all its files are on disk,
/// and then deletes the oldest checkpoints. Throws base::RunError and keeps all older checkpoints
/// on failure.
Saved finish_checkpoint(const CheckpointEnd& end);

/// Deletes the draft folder of a checkpoint.
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
  /// Restores the state in the files of a checkpoint. Throws base::Error when the state cannot be
  /// restored.
  std::function<void(const contract::CheckpointDir&, const contract::CheckpointHeader&)> restore;
  std::function<void(const std::string& line)> warn;
};

/// Restores the newest usable checkpoint of the earlier launches of the run. The search goes back
/// to the last launch that completed or diverged and excludes that launch, because a new launch
/// does not resume from it. Skips a checkpoint that is damaged or belongs to another run
/// description, and reports it through `search.warn`. Returns nullopt when no checkpoint is usable.
std::optional<FoundCheckpoint> restore_newest(const CheckpointSearch& search);

}  // namespace dlscale::trainer
