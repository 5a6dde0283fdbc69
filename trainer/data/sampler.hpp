// SPDX-License-Identifier: Apache-2.0
// Which samples a rank takes, in which order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::trainer {

struct SamplerSettings {
  std::int64_t samples = 0;       ///< size of the training set
  std::int64_t global_batch = 1;  ///< a multiple of world_size
  int rank = 0;
  int world_size = 1;
  std::string last_batch = "pad";  ///< as in contract::RunSpec
  std::uint64_t seed = 0;
  bool as_pytorch = false;  ///< the order of torch.utils.data.DistributedSampler with this seed
  std::int64_t window = 0;  ///< consecutive samples that stay together in the order; 0: none do
  std::vector<std::int64_t> lengths = {};  ///< of texts; empty: all samples are alike
};

/// Global batches within which texts are sorted by their length.
inline constexpr std::int64_t kBucketedBatches = 50;

/// Each epoch has one order, a permutation drawn from seed and epoch that all ranks share. Step s
/// takes the next `global_batch` samples of it and rank r the r-th equal part of these, so that N
/// ranks together see exactly what one rank with an N times larger batch sees.
/// With windows, these follow each other in random order and each is shuffled: for files that are
/// read in large pieces. The last window may be smaller.
/// Texts are sorted by length within each window of kBucketedBatches global batches, and the
/// batches of the window shuffled: little is padded, and batches are of random length all the same.
/// A ragged end is filled from the epoch's start ("pad") or left out ("drop").
/// As PyTorch's sampler the permutation is torch.randperm's, seeded with seed + epoch, and of the
/// samples of a step rank r takes those at r, r + world_size, r + 2 world_size, ….
class DistributedSampler {
 public:
  /// Throws base::UsageError when dropping the ragged end leaves no step.
  explicit DistributedSampler(const SamplerSettings& settings);

  std::int64_t steps_per_epoch() const { return steps_; }
  std::int64_t batch_per_rank() const { return settings_.global_batch / settings_.world_size; }
  std::int64_t padded_samples() const;   ///< samples taken twice in an epoch
  std::int64_t dropped_samples() const;  ///< samples not taken in an epoch

  /// This rank's samples of an epoch: steps_per_epoch() x batch_per_rank(), step by step.
  std::vector<std::int64_t> samples_of(int epoch) const;

 private:
  std::vector<std::int64_t> order_of(int epoch) const;
  void bucket(std::vector<std::int64_t>& order, int epoch) const;

  SamplerSettings settings_;
  std::int64_t steps_;
};

/// This rank's part of `samples` samples for evaluation: every sample belongs to exactly one rank
/// and the parts differ by at most one.
std::vector<std::int64_t> evaluation_share(std::int64_t samples, int rank, int world_size);

}  // namespace dlscale::trainer
