// SPDX-License-Identifier: Apache-2.0
// Saved states on the disk: what a crash at any moment leaves is a whole one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/checkpoint.hpp"
#include "contract/run_dir.hpp"
#include "contract/run_spec.hpp"
#include "trainer/checkpoint/state_file.hpp"

namespace dlscale::trainer {

struct Saved {
  std::string path;  ///< from the launch's folder
  std::int64_t bytes = 0;
};

/// Writes a rank's state, piece by piece.
using StateWriter = std::function<void(StateFile& file)>;

/// Saves the state as the launch's next checkpoint: into a draft, which is renamed when the disk
/// has all of it; then deletes the launch's older ones and those of `superseded` launches. `header`
/// is without its files. Throws base::RunError, leaving no draft and the older ones untouched.
Saved save_checkpoint(const contract::LaunchDir& launch, contract::CheckpointHeader header,
                      const StateWriter& write_state,
                      const std::vector<contract::LaunchDir>& superseded);

/// Deletes all that a launch has saved, as far as that is possible.
void delete_checkpoints(const contract::LaunchDir& launch);

/// A checkpoint that was taken.
struct FoundCheckpoint {
  contract::LaunchDir launch;
  contract::CheckpointHeader header;
};

/// What a search for a checkpoint needs to know of the run.
struct CheckpointSearch {
  const contract::RunSpec& spec;
  const contract::RunDir& folder;
  int launch = 1;  ///< the one that looks
  /// Takes a rank's state into use. Throws base::RunError when it cannot.
  std::function<void(const std::string& state)> take;
  std::function<void(const std::string& line)> warn;
};

/// Takes the newest good checkpoint of the run's earlier launches, back to the last that completed
/// or diverged: these have nothing to go on with. One that is damaged or of another description is
/// passed over with a warning.
std::optional<FoundCheckpoint> take_newest(const CheckpointSearch& search);

}  // namespace dlscale::trainer
