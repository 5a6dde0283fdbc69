// SPDX-License-Identifier: Apache-2.0
// Saved states on the disk: what a crash at any moment leaves is a whole one.
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

// Files that are on the disk when they are said to be, and that tell when they are damaged.

/// A new file, written once, from its beginning to its end. Every member throws base::RunError for
/// what the system refuses, a full disk for example.
class StateFile {
 public:
  explicit StateFile(const std::filesystem::path& path);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  void append(std::string_view bytes);
  /// Returns when the disk has all of it.
  contract::SavedFile close();

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::int64_t bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

/// Makes the names in a folder outlast a crash of the machine.
void sync_folder(const std::filesystem::path& folder);

/// The content of `file` in a folder. Throws base::RunError when it is not what was saved.
std::string read_saved(const std::filesystem::path& folder, const contract::SavedFile& file);

struct Saved {
  std::string path;  ///< from the launch's folder
  std::int64_t bytes = 0;
};

/// Makes the folder in which a launch's next checkpoint grows: a draft. Throws base::RunError.
contract::CheckpointDir begin_checkpoint(const contract::LaunchDir& launch);

/// Writes a rank's file into the draft, piece by piece; returns when the disk has it. Throws
/// base::RunError.
contract::SavedFile write_rank_file(const contract::CheckpointDir& next, int rank,
                                    const std::function<void(StateFile& file)>& write_state);

/// What becomes of a checkpoint that every rank has written its file of.
struct CheckpointEnd {
  contract::LaunchDir launch;
  contract::CheckpointDir next;
  contract::CheckpointHeader header;              ///< with its files
  int keep = 1;                                   ///< newest ones that stay, this one included
  std::vector<contract::LaunchDir> earlier = {};  ///< whose checkpoints are older, in order
};

/// Renames the draft when the disk has all of it, then deletes the oldest. Throws base::RunError,
/// leaving all older ones.
Saved finish_checkpoint(const CheckpointEnd& end);

/// Deletes the draft.
void abandon_checkpoint(const contract::CheckpointDir& next);

/// Deletes all that a launch has saved, as far as that is possible.
void delete_checkpoints(const contract::LaunchDir& launch);

/// A checkpoint that was taken.
struct FoundCheckpoint {
  contract::LaunchDir launch;
  contract::CheckpointHeader header;
};

/// What a search for a checkpoint needs to know of the run.
struct CheckpointSearch {
  int world_size = 1;
  std::string description_hash;  ///< as its checkpoints have it
  const contract::RunDir& folder;
  int launch = 1;  ///< the one that looks
  /// Takes what its files hold into use. Throws base::Error when it cannot.
  std::function<void(const contract::CheckpointDir&, const contract::CheckpointHeader&)> take;
  std::function<void(const std::string& line)> warn;
};

/// Takes the newest good checkpoint of the run's earlier launches, back to the last that completed
/// or diverged: these have nothing to go on with. One that is damaged or of another description is
/// passed over with a warning.
std::optional<FoundCheckpoint> take_newest(const CheckpointSearch& search);

}  // namespace dlscale::trainer
