// SPDX-License-Identifier: Apache-2.0
// Sampler, which selects the samples of each rank and their order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainer/data/batch_part.hpp"

namespace dlscale::trainer {

struct SamplerSettings {
  std::int64_t samples = 0;       ///< number of samples in the training set
  std::int64_t global_batch = 1;  ///< samples per step on all ranks; at least world_size
  int rank = 0;
  int world_size = 1;
  std::string last_batch = "pad";  ///< value of contract::RunSpec::last_batch
  std::uint64_t seed = 0;
  bool as_pytorch = false;                 ///< true: order of torch.utils.data.DistributedSampler
  std::int64_t window = 0;                 ///< samples per shuffled block; 0: shuffle all samples
  std::vector<std::int64_t> lengths = {};  ///< sort key of each text; empty: do not sort
};

/// Number of global batches in a window. Within each window, texts are sorted by length.
inline constexpr std::int64_t kBucketedBatches = 50;

/// Sampler that divides the samples of each epoch among the ranks.
///
/// Each epoch has one permutation, drawn from seed and epoch, that all ranks share. Step s takes
/// the next `global_batch` samples of the permutation, and rank r takes the r-th part of these
/// samples. The parts are equal, or differ by one sample if `global_batch` is not a multiple of
/// `world_size` (see part_of_batch). In each step, N ranks together therefore process the same
/// samples as one rank with the whole global batch. An incomplete last batch is filled from the
/// start of the epoch
/// ("pad") or left out ("drop").
///
/// - With `window`, the samples are divided into blocks of `window` consecutive samples. The blocks
///   are put in random order, and the samples of each block are shuffled. This order is fast for
///   files that are read in large pieces. The last block may be smaller.
/// - Texts are sorted by length within each window of kBucketedBatches global batches. The batches
///   of the window are then shuffled. Batches therefore need little padding, and the lengths of
///   consecutive batches still vary randomly.
/// - With `as_pytorch`, the permutation is torch.randperm with the seed seed + epoch. Rank r takes
///   the samples at positions r, r + world_size, r + 2 world_size, … of each step.
class DistributedSampler {
 public:
  /// Throws base::UsageError when dropping the incomplete last batch leaves no step.
  explicit DistributedSampler(const SamplerSettings& settings);

  std::int64_t steps_per_epoch() const { return steps_; }
  /// Returns the number of samples of this rank in each step.
  std::int64_t batch_per_rank() const { return mine_.count; }
  std::int64_t padded_samples() const;   ///< samples that an epoch repeats to fill the last batch
  std::int64_t dropped_samples() const;  ///< samples that an epoch leaves out

  /// Returns the samples of this rank in an epoch: batch_per_rank() samples for each of the
  /// steps_per_epoch() steps, one step after the other.
  std::vector<std::int64_t> samples_of(int epoch) const;

 private:
  std::vector<std::int64_t> order_of(int epoch) const;
  void bucket(std::vector<std::int64_t>& order, int epoch) const;

  SamplerSettings settings_;
  BatchPart mine_;  ///< part of each global batch that this rank takes
  std::int64_t steps_;
};

/// Returns the samples that this rank evaluates. Every sample belongs to exactly one rank. The
/// number of samples differs by at most one between ranks.
std::vector<std::int64_t> evaluation_share(std::int64_t samples, int rank, int world_size);

}  // namespace dlscale::trainer
