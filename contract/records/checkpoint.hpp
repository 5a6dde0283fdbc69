// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says of itself: `header.json` beside the tensors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

inline constexpr int kCheckpointVersion = 1;

/// Of the epoch under way, summed over its steps so far.
struct EpochSums {
  std::int64_t steps = 0;
  std::int64_t samples = 0;
  double wall_s = 0;    ///< slowest rank of each launch
  double loss_sum = 0;  ///< over the steps, mean over the ranks
  double lr = 0;        ///< at the last step
  bool operator==(const EpochSums&) const = default;
};

/// Where a run stands between two steps.
struct Progress {
  int epoch = 0;                ///< the one under way
  std::int64_t step = 0;        ///< optimizer steps done, over the whole run
  bool epoch_recorded = false;  ///< its record is written, its evaluation is yet to come
  EpochSums so_far;
  double train_s = 0;             ///< wall time of training in the epochs before, of all launches
  int flat_epochs = 0;            ///< of these the last so many in which nothing was learnt
  bool accuracy_reached = false;  ///< the run's target, and its record is written
  bool loss_reached = false;
  bool bleu_reached = false;
  /// Whether as much has been done.
  bool same_place(const Progress& other) const {
    return epoch == other.epoch && step == other.step && epoch_recorded == other.epoch_recorded;
  }
  bool operator==(const Progress&) const = default;
};

/// A file of the checkpoint, by which a damaged one is told.
struct SavedFile {
  std::string name;
  std::int64_t bytes = 0;
  std::uint32_t crc32 = 0;
  bool operator==(const SavedFile&) const = default;
};

struct CheckpointHeader {
  int schema_version = kCheckpointVersion;
  std::string run_id;
  std::string description_hash;  ///< contract/run_spec/run_id.hpp
  int world_size = 1;
  std::string trainer_version;
  double time = 0;  ///< seconds since 1970 UTC
  Progress progress;
  std::vector<SavedFile> files;
  bool operator==(const CheckpointHeader&) const = default;
};

/// Indented JSON with a final newline.
std::string to_json(const CheckpointHeader& header);

/// `file` is only named in messages. Throws base::SpecError.
CheckpointHeader checkpoint_header_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
