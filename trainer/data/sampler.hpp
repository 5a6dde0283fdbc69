// SPDX-License-Identifier: Apache-2.0
// Sampler, which selects the samples of each rank and their order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::trainer {

struct SamplerSettings {
  std::int64_t samples = 0;       ///< number of samples in the training set
  std::int64_t global_batch = 1;  ///< samples per step of all ranks, a multiple of world_size
  int rank = 0;
  int world_size = 1;
  std::string last_batch = "pad";  ///< contract::RunSpec::last_batch
  std::uint64_t seed = 0;
  bool as_pytorch = false;  ///< true for the order of torch.utils.data.DistributedSampler
  std::int64_t window = 0;  ///< number of consecutive samples shuffled as a block, 0 for none
  std::vector<std::int64_t> lengths = {};  ///< sort keys of texts, empty for equal lengths
};

/// Number of global batches per window within which texts are sorted by length.
inline constexpr std::int64_t kBucketedBatches = 50;

/// Sampler that divides the samples of each epoch among the ranks.
///
/// Each epoch has one permutation, drawn from seed and epoch, that all ranks share. Step s takes
/// the next `global_batch` samples of the permutation, and rank r takes the r-th equal part of
/// these samples. N ranks together therefore see the same samples as one rank with an N times
/// larger batch. An incomplete last batch is filled from the start of the epoch ("pad") or left out
/// ("drop").
///
/// - With `window`, the sampler orders blocks of consecutive samples randomly and shuffles each
///   block. This order suits files that are read in large pieces. The last block may be smaller.
/// - Texts are sorted by length within each window of kBucketedBatches global batches, and the
///   batches of the window are shuffled. Batches then need little padding, and their lengths still
///   vary randomly.
/// - With `as_pytorch`, the permutation is that of torch.randperm with seed + epoch. Of the samples
///   of a step, rank r takes those at positions r, r + world_size, r + 2 world_size, ….
class DistributedSampler {
 public:
  /// Throws base::UsageError when dropping the incomplete last batch leaves no step.
  explicit DistributedSampler(const SamplerSettings& settings);

  std::int64_t steps_per_epoch() const { return steps_; }
  std::int64_t batch_per_rank() const { return settings_.global_batch / settings_.world_size; }
  std::int64_t padded_samples() const;   ///< number of samples taken twice in an epoch
  std::int64_t dropped_samples() const;  ///< number of samples not taken in an epoch

  /// Returns the samples of this rank in an epoch, steps_per_epoch() x batch_per_rank(), step by
  /// step.
  std::vector<std::int64_t> samples_of(int epoch) const;

 private:
  std::vector<std::int64_t> order_of(int epoch) const;
  void bucket(std::vector<std::int64_t>& order, int epoch) const;

  SamplerSettings settings_;
  std::int64_t steps_;
};

/// Returns the samples that this rank evaluates. Every sample belongs to exactly one rank, and the
/// numbers of samples differ by at most one between ranks.
std::vector<std::int64_t> evaluation_share(std::int64_t samples, int rank, int world_size);

}  // namespace dlscale::trainer
