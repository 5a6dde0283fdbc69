// SPDX-License-Identifier: Apache-2.0
// Defines `header.json`, which describes a checkpoint and is stored next to the files with its
// tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

inline constexpr int kCheckpointVersion = 1;

/// Sums over the completed steps of the epoch in progress.
struct EpochSums {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0;    ///< wall time of the slowest rank, summed over launches
  double loss_sum = 0;  ///< sum over the steps; each step counts with its mean loss over the ranks
  double lr = 0;        ///< learning rate of the last step
  /// Number of training samples that the forward passes of these steps classified correctly. Empty
  /// if the trainer did not count them.
  std::optional<std::int64_t> correct = {};
  bool operator==(const EpochSums&) const = default;
};

/// Position of a run between two steps.
struct Progress {
  int epoch = 0;                ///< epoch in progress
  std::int64_t step = 0;        ///< number of optimizer steps done in the whole run
  bool epoch_recorded = false;  ///< true if the epoch is recorded but not evaluated yet
  EpochSums so_far;
  double train_s = 0;  ///< wall time of training in earlier epochs, over all launches
  /// Number of consecutive epochs without learning, up to and including the latest epoch.
  int flat_epochs = 0;
  bool accuracy_reached = false;  ///< true if the accuracy target is reached and recorded
  bool loss_reached = false;
  bool bleu_reached = false;
  bool train_loss_reached = false;
  /// Returns whether `other` describes the same position in the run.
  bool same_place(const Progress& other) const {
    return epoch == other.epoch && step == other.step && epoch_recorded == other.epoch_recorded;
  }
  bool operator==(const Progress&) const = default;
};

/// File of a checkpoint. Its size and checksum show whether the file is damaged.
struct SavedFile {
  std::string name;
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
  bool operator==(const SavedFile&) const = default;
};

struct CheckpointHeader {
  int schema_version = kCheckpointVersion;
  std::string run_id;
  std::string description_hash;  ///< hash from contract/run_spec/run_id.hpp
  int world_size = 1;
  std::string trainer_version;
  double time = 0;  ///< seconds since 1970 UTC
  Progress progress;
  std::vector<SavedFile> files;
  bool operator==(const CheckpointHeader&) const = default;
};

/// Returns indented JSON with a final newline.
std::string to_json(const CheckpointHeader& header);

/// Reads a header. `file` is only used in messages. Throws base::SpecError for an invalid header.
CheckpointHeader checkpoint_header_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
